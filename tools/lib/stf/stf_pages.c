// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "stf/stf.h"

#define MOST_BY_DEFAULT 262144u
#define MOST (1u << 24)

#define PTE_NAPOT (UINT64_C(1) << 63)
#define PTE_FLAGS 0xffu

#define NAPOT_SIZE UINT64_C(0x10000)
#define MIN_SIZE UINT64_C(0x1000)
#define MAX_SIZE (UINT64_C(1) << 30)

struct key {
	uint64_t va; /* of the first byte */
	uint64_t space; /* 0 of a global page */
	bool global;
	uint8_t shift; /* the page has 1 << shift bytes */
};

/*
 * A walk. It stays as long as the page's key has no newer one, also if it led to no page:
 * it then hides older walks of larger or smaller pages.
 */
struct entry {
	struct key key;
	uint64_t pte;
	uint64_t time; /* the number of the walk */
	uint32_t flags; /* 0: no page */
	uint32_t next; /* in its bucket */
	uint32_t older, newer; /* by time; a ring, with entry 0 as its head */
};

struct stf_pages {
	/*
	 * Entry 0 is the head of the ring, and 0 is the end of a bucket. There are as many
	 * buckets as entries without the head.
	 */
	struct entry *entries;
	uint32_t *buckets;
	uint32_t room; /* buckets; a power of two */
	uint32_t n; /* entries in use, with the head */
	uint32_t max;
	uint64_t time;
	uint64_t lost;
	/* Bit n: there are pages of 1 << n bytes. [1]: global ones. */
	uint32_t shifts[2];
};

static bool is_same(const struct key *a, const struct key *b)
{
	return a->va == b->va && a->space == b->space &&
	       a->global == b->global && a->shift == b->shift;
}

static uint32_t *bucket_of(const struct stf_pages *pages, const struct key *key)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = key->va >> 12 ^ (uint64_t)key->shift << 52;

	hash = hash * odd + 2 * key->space + key->global;
	hash = (hash ^ hash >> 32) * odd;
	return &pages->buckets[hash >> 32 & (pages->room - 1)];
}

static uint32_t find(const struct stf_pages *pages, const struct key *key)
{
	uint32_t i = *bucket_of(pages, key);

	while (i && !is_same(&pages->entries[i].key, key))
		i = pages->entries[i].next;
	return i;
}

static void put_in_bucket(struct stf_pages *pages, uint32_t i)
{
	uint32_t *bucket = bucket_of(pages, &pages->entries[i].key);

	pages->entries[i].next = *bucket;
	*bucket = i;
}

static void take_from_bucket(struct stf_pages *pages, uint32_t i)
{
	uint32_t *at = bucket_of(pages, &pages->entries[i].key);

	while (*at != i)
		at = &pages->entries[*at].next;
	*at = pages->entries[i].next;
}

static void take_from_ring(struct stf_pages *pages, uint32_t i)
{
	struct entry *e = pages->entries;

	e[e[i].older].newer = e[i].newer;
	e[e[i].newer].older = e[i].older;
}

static void make_newest(struct stf_pages *pages, uint32_t i)
{
	struct entry *e = pages->entries;

	e[i].older = e[0].older;
	e[i].newer = 0;
	e[e[0].older].newer = i;
	e[0].older = i;
	e[i].time = ++pages->time;
}

static bool grow(struct stf_pages *pages)
{
	uint32_t room = pages->room ? 2 * pages->room : 64, i;
	uint32_t *buckets = calloc(room, sizeof(*buckets));
	struct entry *entries = NULL;

	if (buckets)
		entries = realloc(pages->entries,
				  ((size_t)room + 1) * sizeof(*entries));
	if (!entries) {
		free(buckets);
		return false;
	}
	free(pages->buckets);
	pages->buckets = buckets;
	pages->entries = entries;
	pages->room = room;
	for (i = 1; i < pages->n; i++)
		put_in_bucket(pages, i);
	return true;
}

struct stf_pages *stf_pages_new(size_t max_pages)
{
	struct stf_pages *pages = calloc(1, sizeof(*pages));

	if (!pages)
		return NULL;
	if (!max_pages)
		max_pages = MOST_BY_DEFAULT;
	pages->max = max_pages < MOST ? (uint32_t)max_pages : MOST;
	pages->n = 1;
	if (!grow(pages)) {
		free(pages);
		return NULL;
	}
	pages->entries[0] = (struct entry){ 0 };
	return pages;
}

/* Returns an entry that is in no bucket and not in the ring, or 0 without memory. */
static uint32_t new_entry(struct stf_pages *pages)
{
	uint32_t oldest = pages->entries[0].newer;

	if (pages->n > pages->max) {
		take_from_bucket(pages, oldest);
		take_from_ring(pages, oldest);
		pages->lost++;
		return oldest;
	}
	if (pages->n > pages->room && !grow(pages))
		return 0;
	return pages->n++;
}

static uint64_t address_in(uint64_t pte)
{
	return (pte >> 10 & ((UINT64_C(1) << 44) - 1)) << 12;
}

/*
 * The only size of Svnapot: the lowest bits of the page number are 1000. Bits of an invalid
 * entry mean nothing, here and below.
 */
static bool is_napot(uint64_t pte)
{
	return pte & STF_PAGE_VALID && pte & PTE_NAPOT &&
	       (address_in(pte) & (NAPOT_SIZE - 1)) == 0x8000;
}

/* Returns whether the hardware takes this entry as a leaf for a page of this size. */
static bool leads_to_page(uint64_t pte, uint64_t size)
{
	const unsigned int readable = STF_PAGE_VALID | STF_PAGE_READ;

	if (!(pte & STF_PAGE_VALID) || !(pte & (STF_PAGE_READ | STF_PAGE_EXEC)))
		return false;
	if (pte & STF_PAGE_WRITE && (pte & readable) != readable)
		return false;
	if (pte & PTE_NAPOT)
		return is_napot(pte) && size == NAPOT_SIZE;
	return !(address_in(pte) & (size - 1));
}

static bool is_global(const struct stf_page_walk *walk)
{
	const unsigned int global = STF_PAGE_VALID | STF_PAGE_GLOBAL;
	unsigned int i;

	for (i = 0; i < walk->n_ptes; i++)
		if ((walk->ptes[i].value & global) == global)
			return true;
	return false;
}

static struct key key_of(uint64_t space, uint64_t va, unsigned int shift,
			 bool global)
{
	return (struct key){ .va = va >> shift << shift,
			     .space = global ? 0 : space,
			     .global = global,
			     .shift = (uint8_t)shift };
}

/* Returns the entry of this key, which is now the newest one, or NULL without memory. */
static struct entry *entry_for(struct stf_pages *pages, const struct key *key)
{
	uint32_t i = find(pages, key);

	if (i) {
		take_from_ring(pages, i);
	} else {
		i = new_entry(pages);
		if (!i)
			return NULL;
		pages->entries[i].key = *key;
		put_in_bucket(pages, i);
		pages->shifts[key->global] |= 1u << key->shift;
	}
	make_newest(pages, i);
	return &pages->entries[i];
}

int stf_pages_take(struct stf_pages *pages, uint64_t space,
		   const struct stf_page_walk *walk)
{
	uint64_t size = walk->page_size, pte;
	struct entry *entry;
	struct key key;

	if (!walk->n_ptes || size < MIN_SIZE || size > MAX_SIZE ||
	    size & (size - 1))
		return STF_E_VALUE;
	pte = walk->ptes[walk->n_ptes - 1].value;
	if (size == MIN_SIZE && is_napot(pte))
		size = NAPOT_SIZE;
	key = key_of(space, walk->va, (unsigned int)__builtin_ctzll(size),
		     is_global(walk));
	entry = entry_for(pages, &key);
	if (!entry)
		return STF_E_NOMEM;
	entry->pte = pte;
	entry->flags = 0;
	if (!leads_to_page(pte, size))
		return 0;
	entry->flags = (uint32_t)(pte & PTE_FLAGS);
	if (key.global)
		entry->flags |= STF_PAGE_GLOBAL;
	return 1;
}

/* The newest walk of the address. Entry 0 is older than all. */
static const struct entry *newest(const struct stf_pages *pages, uint64_t space,
				  uint64_t va)
{
	const struct entry *best = &pages->entries[0], *entry;
	unsigned int global;
	struct key key;
	uint32_t left;

	for (global = 0; global < 2; global++) {
		for (left = pages->shifts[global]; left; left &= left - 1) {
			key = key_of(space, va,
				     (unsigned int)__builtin_ctz(left), global);
			entry = &pages->entries[find(pages, &key)];
			if (entry->time > best->time)
				best = entry;
		}
	}
	return best;
}

bool stf_pages_find(const struct stf_pages *pages, uint64_t space, uint64_t va,
		    struct stf_page *page)
{
	const struct entry *entry = newest(pages, space, va);
	uint64_t size = UINT64_C(1) << entry->key.shift;

	if (!entry->flags)
		return false;
	*page = (struct stf_page){ .va = entry->key.va,
				   .pa = address_in(entry->pte) & ~(size - 1),
				   .size = size,
				   .pte = entry->pte,
				   .flags = entry->flags };
	return true;
}

uint64_t stf_pages_lost(const struct stf_pages *pages)
{
	return pages->lost;
}

void stf_pages_free(struct stf_pages *pages)
{
	if (!pages)
		return;
	free(pages->entries);
	free(pages->buckets);
	free(pages);
}
