// SPDX-License-Identifier: GPL-2.0-only
/* A radix sort from the highest digit down, as profile/sort.c has one for steps. */
#include "tally/sort.h"

#include <string.h>

/* The most bits of a digit. It has fewer, if there are not 1 << EACH_BITS entries for each value. */
enum { BITS = 11, EACH_BITS = 2, FEW = 16 };

static void insertion_sort(struct tally_entry *v, size_t nr)
{
	size_t i, k;

	for (i = 1; i < nr; i++) {
		const struct tally_entry entry = v[i];

		for (k = i; k && tally_compare_entries(&v[k - 1], &entry) > 0; k--)
			v[k] = v[k - 1];
		v[k] = entry;
	}
}

/* Swap each entry to where those of its digit are: at[digit] and on, up to ends[digit]. */
static void distribute(struct tally_entry *v, unsigned int word, unsigned int shift,
		       unsigned int mask, uint32_t *at, const uint32_t *ends)
{
	unsigned int d, its;

	for (d = 0; d <= mask; d++) {
		while (at[d] < ends[d]) {
			struct tally_entry entry = v[at[d]];

			/* Until one comes that belongs to where this one was. */
			while ((its = entry.key[word] >> shift & mask) != d) {
				struct tally_entry *to = &v[at[its]++], next = *to;

				*to = entry;
				entry = next;
			}
			v[at[d]++] = entry;
		}
	}
}

/* For more than FEW entries. */
static unsigned int bits_for(size_t nr)
{
	const unsigned int bits = 63 - __builtin_clzll(nr) - EACH_BITS;

	return bits < BITS ? bits : BITS;
}

/* The words before this one are equal. */
static void sort_by(struct tally_entry *v, size_t nr, unsigned int word)
{
	const unsigned int bits = nr > FEW ? bits_for(nr) : 0, mask = (1u << bits) - 1;
	uint32_t at[1 << BITS], ends[1 << BITS], begin = 0;
	uint64_t differ = 0;
	unsigned int shift, d;
	size_t i;

	if (nr <= FEW) {
		insertion_sort(v, nr);
		return;
	}
	while (!differ && word < TALLY_KEY_WORDS) {
		for (i = 1; i < nr; i++)
			differ |= v[i].key[word] ^ v[0].key[word];
		word += !differ;
	}
	if (!differ)
		return;
	/* The highest bit in which keys differ is the digit's highest. */
	shift = 64 - __builtin_clzll(differ);
	shift -= shift < bits ? shift : bits;
	memset(ends, 0, (mask + 1) * sizeof(*ends));
	for (i = 0; i < nr; i++)
		ends[v[i].key[word] >> shift & mask]++;
	for (d = 0; d <= mask; d++) {
		at[d] = begin;
		begin = ends[d] += begin;
	}
	distribute(v, word, shift, mask, at, ends);
	for (begin = 0, d = 0; d <= mask; begin = ends[d++])
		if (ends[d] - begin > 1)
			sort_by(v + begin, ends[d] - begin, word);
}

void tally_sort(struct tally_entry *v, size_t nr)
{
	sort_by(v, nr, 0);
}
