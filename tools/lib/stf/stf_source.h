/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a reader's bytes come from. A source shows a window of the trace, and
 * moves it on when the reader has used it up. Its kinds are siblings:
 * stf_source_stream.c (read from start to end, or seen where it is in memory) and
 * stf_source_zstf.c (a chunked container that can be sought).
 */
#ifndef STF_STF_SOURCE_H
#define STF_STF_SOURCE_H

#include "stf/stf_input.h"

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
	/*
	 * Go on with this chunk at the next more(). NULL if there are none.
	 * Returns 0, or STF_E_INVAL if there are fewer chunks.
	 */
	int (*seek)(struct stf_source *src, uint64_t chunk, uint64_t *pc);
	void (*close)(struct stf_source *src);
};

struct stf_source {
	const struct stf_source_ops *ops;
	struct stf_window win;
	struct stf_input *in;
	enum stf_container container;
	/* Of a chunked container that can be sought, else 0: */
	uint64_t chunks;
	uint64_t chunk_markers; /* opcodes in each, by the container's header */
	uint64_t chunk; /* number of the one shown */
	bool recovered; /* the index was made from the chunks */
};

/*
 * Each returns NULL with the text set. The input belongs to the source from then on,
 * on failure too. None shows anything before more(). A .zstf is read by `threads`
 * threads of its own (0: by more() itself).
 */
struct stf_source *stf_source_stream(struct stf_input *in,
				     enum stf_container container,
				     uint64_t max_buffer);
struct stf_source *stf_source_zstf(struct stf_input *in, uint64_t max_buffer,
				   unsigned int threads);

#endif
