/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The form in which a writer's bytes are stored: stf_sink_stream.c (plain, or compressed
 * as a whole) or stf_sink_zstf.c.
 */
#ifndef STF_STF_SINK_H
#define STF_STF_SINK_H

#include "stf/stf_file.h"

struct stf_sink;

struct stf_sink_ops {
	/*
	 * Take whole records, the first `size` bytes of *buf. If .chunk_markers is 0, this
	 * can be any number of records. Otherwise it is exactly one chunk, whose first
	 * instruction is at pc. A sink with chunks keeps the buffer, and sets *buf and
	 * *room to another one, which is not smaller. The bytes of the old one stay until
	 * the next call. Returns 0 or an error.
	 */
	int (*put)(struct stf_sink *sink, uint8_t **buf, size_t *room,
		   size_t size, uint64_t pc);
	/* Write what is held back, after the last put(). Returns 0 or an error. */
	int (*finish)(struct stf_sink *sink);
	/* Free the sink. The file belongs to the writer. */
	void (*close)(struct stf_sink *sink);
};

struct stf_sink {
	const struct stf_sink_ops *ops;
	struct stf_file *file; /* belongs to the writer, as does its error */
	/* opcodes in each chunk; 0: there are no chunks */
	uint64_t chunk_markers;
	uint64_t chunks; /* chunks so far */
};

/* Each function returns NULL with *file->err set on failure. */
struct stf_sink *stf_sink_stream(struct stf_file *file,
				 enum stf_container container);
struct stf_sink *stf_sink_zstf(struct stf_file *file, uint64_t chunk_markers,
			       int level, unsigned int threads);

#endif
