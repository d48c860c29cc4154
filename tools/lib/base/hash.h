/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding elements by their hash: the elements are the caller's, in an array, and are
 * known by their numbers in it. Open addressing, at most half full.
 *
 *	if (!hash_room(&h))
 *		return NULL;
 *	hash_for_each(&h, slot, hash)
 *		if (v[slot->number - 1].key == key)
 *			return &v[slot->number - 1];
 *	hash_put(&h, slot, hash, nr);
 *	v[nr++] = ...;
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t hash;
	uint32_t number; /* of the element, from 1; 0: there is none */
};

/* All 0 before the first. */
struct hash {
	struct hash_slot *slots;
	size_t mask; /* slots are one more: a power of two */
	size_t nr; /* elements */
};

/* More slots, for hash_room(). */
bool hash_grow(struct hash *h);

/* Room for one more, which invalidates slots. False: out of memory. */
static inline bool hash_room(struct hash *h)
{
	return (h->slots && 2 * (h->nr + 1) <= h->mask + 1) || hash_grow(h);
}

/* The slots to look at for a hash begin here. There has to be room for one more. */
static inline struct hash_slot *hash_first(const struct hash *h, uint32_t hash)
{
	return &h->slots[hash & h->mask];
}

static inline struct hash_slot *hash_next(const struct hash *h,
					  const struct hash_slot *slot)
{
	return &h->slots[(slot - h->slots + 1) & h->mask];
}

/* All elements of that hash; behind the last, slot is where a new one is put. */
#define hash_for_each(_h, _slot, _hash)                                        \
	for ((_slot) = hash_first(_h, _hash); (_slot)->number;                 \
	     (_slot) = hash_next(_h, _slot))                                   \
		if ((_slot)->hash != (_hash)) {                                \
		} else

/* An element's number, from 0, goes to the slot at which the search for it ended. */
static inline void hash_put(struct hash *h, struct hash_slot *slot,
			    uint32_t hash, uint32_t number)
{
	*slot = (struct hash_slot){ hash, number + 1 };
	h->nr++;
}

void hash_free(struct hash *h);

/* A hash of these bytes; of several in turn, if each begins with the one before. */
uint32_t hash_bytes(uint32_t begin, const void *p, size_t size);

/* The same of one number, quicker. */
static inline uint32_t hash_u64(uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

#endif
