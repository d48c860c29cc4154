/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for records that are not in a mapped file: those read from a pipe, those
 * that were compressed, those of the other byte order. Records are put into a
 * block one after another. It is used again when none of them waits to be
 * delivered any more, so that nothing is allocated for a record.
 */
#ifndef PERFDATA_BLOCK_H
#define PERFDATA_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { PD_BLOCK_SIZE = 1 << 18 }; /* four times the longest record */

struct pd_block {
	struct pd_block *next; /* in the list of free ones */
	uint64_t at; /* where in the stream its content came from */
	size_t used;
	unsigned int refs;
	uint8_t data[PD_BLOCK_SIZE];
};

struct pd_blocks {
	struct pd_block *free;
};

/* An empty block with one reference; NULL: out of memory. */
struct pd_block *pd_block_get(struct pd_blocks *blocks);

/* NULL is allowed, and means that a record is in a mapped file. */
void pd_block_put(struct pd_blocks *blocks, struct pd_block *block);

static inline struct pd_block *pd_block_ref(struct pd_block *block)
{
	if (block)
		block->refs++;
	return block;
}

void pd_blocks_free(struct pd_blocks *blocks);

#endif
