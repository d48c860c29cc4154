// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/footprint.h"
#include "base/array.h"

#include <stdlib.h>

enum { UNITS_SHIFT = 6 }; /* 64 units in a block */

/* Make the block the last one that was used. False: out of memory. */
static bool find(struct tstat_blocks *b, uint32_t pid, uint64_t number)
{
	const uint32_t hash = hash_u64(number ^ (uint64_t)pid << 40);
	bool full = b->nr == b->max;
	struct hash_slot *slot;

	if (!full && (!hash_room(&b->by_number) ||
		      !array_room(&b->v, b->nr, &b->cap, sizeof(*b->v))))
		return false;
	hash_for_each(&b->by_number, slot, hash) {
		b->last = slot->number - 1;
		if (b->v[b->last].number == number && b->v[b->last].pid == pid)
			return true;
	}
	b->last = SIZE_MAX;
	b->full |= full;
	if (full)
		return true;
	hash_put(&b->by_number, slot, hash, b->nr);
	b->v[b->nr] = (struct tstat_block){ .number = number, .pid = pid };
	b->last = b->nr++;
	return true;
}

/* These units of one block. */
static bool use_block(struct tstat_blocks *b, uint32_t pid, uint64_t number,
		      uint64_t used)
{
	struct tstat_block *block = b->last < b->nr ? &b->v[b->last] : NULL;

	if (!block || block->number != number || block->pid != pid) {
		if (!find(b, pid, number))
			return false;
		if (b->last == SIZE_MAX)
			return true;
		block = &b->v[b->last];
	}
	used &= ~block->used;
	if (used) {
		block->used |= used;
		b->units += (unsigned int)__builtin_popcountll(used);
	}
	return true;
}

/* The bits from first to last, 0 to 63. */
static uint64_t mask(unsigned int first, unsigned int last)
{
	return (~UINT64_C(0) << first) & (~UINT64_C(0) >> (63 - last));
}

/* The units from first to last. */
static bool use(struct tstat_blocks *b, uint32_t pid, uint64_t first,
		uint64_t last)
{
	uint64_t number = first >> UNITS_SHIFT, end = last >> UNITS_SHIFT;
	unsigned int bit = first & 63;

	for (; number != end; number++, bit = 0)
		if (!use_block(b, pid, number, mask(bit, 63)))
			return false;
	return use_block(b, pid, number, mask(bit, last & 63));
}

/* All but the few accesses that end behind the last address. */
static bool use_both(struct tstat_footprint *f, uint32_t pid, uint64_t first,
		     uint64_t last)
{
	return use(&f->lines, pid, first, last) &&
	       use(&f->pages, pid, first >> f->pages.shift,
		   last >> f->pages.shift);
}

bool tstat_footprint_use(struct tstat_footprint *f, uint32_t pid,
			 uint64_t address, unsigned int size)
{
	uint64_t last = address + (size ? size - 1 : 0);

	if (last >= address)
		return use_both(f, pid, address, last);
	return use_both(f, pid, address, UINT64_MAX) && use_both(f, pid, 0, last);
}

static void free_blocks(struct tstat_blocks *b)
{
	hash_free(&b->by_number);
	free(b->v);
}

void tstat_footprint_free(struct tstat_footprint *f)
{
	free_blocks(&f->lines);
	free_blocks(&f->pages);
}
