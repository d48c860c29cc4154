/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chunked container, .zstf:
 *
 *	0	"ZSTF"
 *	4	u64 opcodes in each chunk, not 0
 *	12	u64 END, the offset of the index; 0 while the index is rewritten
 *	20	chunks, each one zstd frame; the last one ends at END
 *	END	u64 N, then N times { u64 offset of the chunk, u64 PC of its first
 *		instruction (0 for the first chunk), u64 uncompressed size }
 *
 * Each chunk has this number of opcodes and ends on an opcode. Only the last chunk can
 * have fewer opcodes and end on another record.
 */
#ifndef STF_STF_ZSTF_H
#define STF_STF_ZSTF_H

enum {
	ZSTF_MARKERS = 4,
	ZSTF_END = 12,
	ZSTF_CHUNKS = 20,

	ZSTF_INDEX_ENTRIES = 8, /* after N */
	ZSTF_ENTRY_OFFSET = 0,
	ZSTF_ENTRY_PC = 8,
	ZSTF_ENTRY_SIZE = 16,
	ZSTF_ENTRY = 24,
};

#endif
