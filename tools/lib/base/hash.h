/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find elements by their hash. The elements belong to the caller and are in an array. The
 * hash has their numbers in this array. It uses open addressing, and is at most half
 * full.
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
	/* the number of the element, from 1 on; 0: the slot is free */
	uint32_t number;
};

/* Set all members to 0 first. */
struct hash {
	struct hash_slot *slots;
	size_t mask; /* the number of slots, a power of two, minus 1 */
	size_t nr; /* the number of elements */
};

/* Add slots, for hash_room(). */
bool hash_grow(struct hash *h);

/*
 * Make room for one more element. Slots are not valid after this call. Returns false if
 * out of memory.
 */
static inline bool hash_room(struct hash *h)
{
	return (h->slots && 2 * (h->nr + 1) <= h->mask + 1) || hash_grow(h);
}

/* Returns the first slot to search for a hash. There must be room for one more element. */
static inline struct hash_slot *hash_first(const struct hash *h, uint32_t hash)
{
	return &h->slots[hash & h->mask];
}

static inline struct hash_slot *hash_next(const struct hash *h,
					  const struct hash_slot *slot)
{
	return &h->slots[(slot - h->slots + 1) & h->mask];
}

/*
 * Go through all elements with this hash. After the last one, _slot is the slot for a new
 * element.
 */
#define hash_for_each(_h, _slot, _hash)                                        \
	for ((_slot) = hash_first(_h, _hash); (_slot)->number;                 \
	     (_slot) = hash_next(_h, _slot))                                   \
		if ((_slot)->hash != (_hash)) {                                \
		} else

/*
 * Put the number of an element, from 0 on, into the slot at which the search for it
 * ended.
 */
static inline void hash_put(struct hash *h, struct hash_slot *slot,
			    uint32_t hash, uint32_t number)
{
	*slot = (struct hash_slot){ hash, number + 1 };
	h->nr++;
}

void hash_free(struct hash *h);

/*
 * Returns a hash of these bytes. To hash several pieces, begin with the hash of the
 * pieces before.
 */
uint32_t hash_bytes(uint32_t begin, const void *p, size_t size);

/* Returns a hash of one number. This is faster. */
static inline uint32_t hash_u64(uint64_t value)
{
	return value * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

#endif
