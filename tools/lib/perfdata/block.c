// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/block.h"

#include <stdlib.h>

struct pd_block *pd_block_get(struct pd_blocks *blocks)
{
	struct pd_block *block = blocks->free;

	if (block)
		blocks->free = block->next;
	else
		block = malloc(sizeof(*block));
	if (!block)
		return NULL;
	blocks->nr_used++;
	block->next = NULL;
	block->used = 0;
	block->refs = 1;
	return block;
}

void pd_block_put(struct pd_blocks *blocks, struct pd_block *block)
{
	if (!block || --block->refs)
		return;
	blocks->nr_used--;
	block->next = blocks->free;
	blocks->free = block;
}

void pd_blocks_free(struct pd_blocks *blocks)
{
	while (blocks->free) {
		struct pd_block *block = blocks->free;

		blocks->free = block->next;
		free(block);
	}
}
