/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the bytes of a reader come from. A source shows a window of the trace. When the
 * reader has used up the window, the source moves it. There are two kinds:
 * stf_source_stream.c (reads from the start to the end, or shows the memory itself) and
 * stf_source_zstf.c (a chunked container in which the reader can seek).
 */
#ifndef STF_STF_SOURCE_H
#define STF_STF_SOURCE_H

#include "stf/stf_input.h"

/*
 * The uncompressed bytes from start to end. The reader moves pos, keep and marker_end. If
 * a source moves the bytes, it also moves these.
 */
struct stf_window {
	const uint8_t *start;
	const uint8_t *end;
	const uint8_t *pos; /* the next record */
	const uint8_t *keep; /* the bytes from here on are still needed */
	const uint8_t *marker_end; /* after the last opcode; NULL before it */
	uint64_t offset; /* the offset of start in the trace */
	/* opcodes that were read since the start of the chunk */
	uint64_t markers;
};

struct stf_source;

struct stf_source_ops {
	/*
	 * Show more bytes than those from keep to end. Returns 1, 0 at the end of the
	 * trace, or an error whose text is set.
	 */
	int (*more)(struct stf_source *src);
	/*
	 * Continue with this chunk at the next call of more(). Store the PC of its first
	 * instruction in *pc. Returns 0, or STF_E_INVAL if there are fewer chunks, or if
	 * the index was made from the chunks and chunk is not 0. NULL if the source has
	 * no chunks.
	 */
	int (*seek)(struct stf_source *src, uint64_t chunk, uint64_t *pc);
	void (*close)(struct stf_source *src);
};

struct stf_source {
	const struct stf_source_ops *ops;
	struct stf_window win;
	struct stf_input *in;
	enum stf_container container;
	/* Only for a chunked container in which the reader can seek. Otherwise 0: */
	uint64_t chunks;
	/* opcodes in each chunk, from the container's header */
	uint64_t chunk_markers;
	uint64_t chunk; /* the number of the shown chunk */
	uint64_t chunk_pc; /* of its first instruction, as the index says */
	bool recovered; /* the index was made from the chunks */
};

/*
 * Each function returns NULL with the text set on failure. The input then belongs to the
 * source, also on failure. A source shows nothing before the first call of more().
 * `threads` is the number of threads that read a .zstf. With 0 threads, more() reads it
 * itself.
 */
struct stf_source *stf_source_stream(struct stf_input *in,
				     enum stf_container container,
				     uint64_t max_buffer);
struct stf_source *stf_source_zstf(struct stf_input *in, uint64_t max_buffer,
				   unsigned int threads);

#endif
