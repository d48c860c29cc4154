/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a reader's bytes come from. A source shows a window of the trace, and
 * moves it on when the reader has used it up. Its kinds are siblings:
 * stf_source_plain.c (a mapped file), stf_source_stream.c (a pipe) and
 * stf_source_zstf.c (the chunked container).
 */
#ifndef STF_STF_SOURCE_H
#define STF_STF_SOURCE_H

#include "stf/stf_error.h"

/*
 * Uncompressed bytes at hand, start to end. The reader moves pos, keep and
 * marker_end; a source that moves the bytes moves these with them.
 */
struct stf_window {
	const uint8_t *start;
	const uint8_t *end;
	const uint8_t *pos; /* the next record */
	const uint8_t *keep; /* bytes from here on are still needed */
	const uint8_t *marker_end; /* after the last opcode; NULL before it */
	uint64_t offset; /* of start, in the trace */
	uint64_t markers; /* opcodes read since the chunk's start */
};

struct stf_source;

struct stf_source_ops {
	/*
	 * Show more bytes than those from keep to end. Returns 1, 0 at the end
	 * of the trace, or an error whose text is set.
	 */
	int (*more)(struct stf_source *src);
	/* Fill in container, file_bytes, chunks and chunk_markers. */
	void (*stats)(const struct stf_source *src, struct stf_stats *stats);
	void (*close)(struct stf_source *src);
};

struct stf_source {
	const struct stf_source_ops *ops;
	struct stf_window win;
	uint64_t chunk; /* number of the one shown; only if chunked */
	bool chunked;
	struct stf_error *err; /* the reader's */
	const char *path; /* for messages; the reader's */
};

/* A whole file, mapped or otherwise in memory as long as the source lives. */
struct stf_map {
	const uint8_t *data;
	size_t size;
};

/*
 * Each returns NULL with *err set. The map or fd belongs to the source from then
 * on, on failure too. None shows anything before more().
 */
struct stf_source *stf_source_plain(struct stf_map map, const char *path,
				    struct stf_error *err);
struct stf_source *stf_source_zstf(struct stf_map map, const char *path,
				   uint64_t max_buffer, struct stf_error *err);
struct stf_source *stf_source_stream(int fd, const char *path,
				     uint64_t max_buffer,
				     struct stf_error *err);

/* The first bytes of a container. */
#define STF_ZSTF_MAGIC "ZSTF"

void stf_unmap(struct stf_map map);

#endif
