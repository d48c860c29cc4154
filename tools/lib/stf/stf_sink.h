/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a writer's bytes go: stf_sink_plain.c, stf_sink_filter.c (compressed as
 * a whole) or stf_sink_zstf.c.
 */
#ifndef STF_STF_SINK_H
#define STF_STF_SINK_H

#include "stf/stf_file.h"

struct stf_sink;

struct stf_sink_ops {
	/*
	 * Take whole records: any number of them where .chunked is false, else
	 * exactly one chunk, whose first instruction is at pc.
	 */
	int (*put)(struct stf_sink *sink, const uint8_t *data, size_t size,
		   uint64_t pc);
	/* All was put: write what is still held back. */
	int (*finish)(struct stf_sink *sink);
	/* Free what the sink has beside its file. */
	void (*close)(struct stf_sink *sink);
};

struct stf_sink {
	const struct stf_sink_ops *ops;
	enum stf_container container;
	struct stf_file file;
	uint64_t chunk_markers; /* opcodes per chunk; 0 if not chunked */
	uint64_t chunks; /* put so far */
	struct stf_error *err; /* the writer's */
};

/* Each returns NULL with *err set. */
struct stf_sink *stf_sink_plain(const char *path, struct stf_error *err);
struct stf_sink *stf_sink_zstf(const char *path, uint64_t chunk_markers,
			       int level, unsigned int threads,
			       struct stf_error *err);
struct stf_sink *stf_sink_filter(const char *path, enum stf_container container,
				 struct stf_error *err);

#endif
