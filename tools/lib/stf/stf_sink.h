/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a writer's bytes become: stf_sink_stream.c (plain, or compressed as a whole)
 * or stf_sink_zstf.c.
 */
#ifndef STF_STF_SINK_H
#define STF_STF_SINK_H

#include "stf/stf_file.h"

struct stf_sink;

struct stf_sink_ops {
	/*
	 * Take whole records: any number of them where .chunk_markers is 0, else
	 * exactly one chunk, whose first instruction is at pc.
	 */
	int (*put)(struct stf_sink *sink, const uint8_t *data, size_t size,
		   uint64_t pc);
	/* All was put: write what is still held back. */
	int (*finish)(struct stf_sink *sink);
	/* Free the sink. The file stays the writer's. */
	void (*close)(struct stf_sink *sink);
};

struct stf_sink {
	const struct stf_sink_ops *ops;
	struct stf_file *file; /* the writer's, as its error */
	uint64_t chunk_markers; /* opcodes per chunk; 0 if not chunked */
	uint64_t chunks; /* put so far */
};

/* Each returns NULL with *file->err set. */
struct stf_sink *stf_sink_stream(struct stf_file *file,
				 enum stf_container container);
struct stf_sink *stf_sink_zstf(struct stf_file *file, uint64_t chunk_markers,
			       int level, unsigned int threads);

#endif
