/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for records that are not in a mapped file: records from a pipe, compressed
 * records, and records of the other byte order. Records are put into a block one after
 * the other. The block is used again when none of its records waits any more. Therefore,
 * a record needs no allocation.
 */
#ifndef PERFDATA_BLOCK_H
#define PERFDATA_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum { PD_BLOCK_SIZE = 1 << 18 }; /* four times the longest record */

struct pd_block {
	struct pd_block *next; /* in the list of free blocks */
	size_t used;
	unsigned int refs;
	uint8_t data[PD_BLOCK_SIZE];
};

struct pd_blocks {
	struct pd_block *free;
	size_t nr_used; /* blocks that are not free */
};

/* Returns an empty block with one reference, or NULL if out of memory. */
struct pd_block *pd_block_get(struct pd_blocks *blocks);

/* block may be NULL. This means that a record is in a mapped file. */
void pd_block_put(struct pd_blocks *blocks, struct pd_block *block);

static inline struct pd_block *pd_block_ref(struct pd_block *block)
{
	if (block)
		block->refs++;
	return block;
}

void pd_blocks_free(struct pd_blocks *blocks);

#endif
