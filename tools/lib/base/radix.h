/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A radix sort in place, from the highest digit down, of items whose order a few words of 64 bits
 * tell: a library's qsort() takes several times the instructions. Define these four, then include
 * this file, which defines the function and undefines them:
 *
 * RADIX_SORT	the function's name: static void RADIX_SORT(RADIX_ITEM *v, size_t nr); which of several
 *		equal items comes first is not determined; nr must be less than 2^32
 * RADIX_ITEM	the items' type
 * RADIX_WORDS	how many words an item's key has
 * RADIX_KEY	a function: uint64_t RADIX_KEY(const RADIX_ITEM *item, unsigned int word),
 *		where word 0 decides most
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RADIX_PASTE_(a, b) a##b
#define RADIX_PASTE(a, b) RADIX_PASTE_(a, b)
#define RADIX_(name) RADIX_PASTE(RADIX_SORT, name)

#ifndef RADIX_ONCE
#define RADIX_ONCE
/*
 * The most bits of a digit. It has fewer, if there are not 1 << RADIX_EACH_BITS items for each
 * value. No more than RADIX_FEW items are sorted one by one.
 */
enum { RADIX_BITS = 11, RADIX_EACH_BITS = 2, RADIX_FEW = 16 };

/* For more than RADIX_FEW items. */
static inline unsigned int radix_bits_for(size_t nr)
{
	const unsigned int bits = 63 - __builtin_clzll(nr) - RADIX_EACH_BITS;

	return bits < RADIX_BITS ? bits : RADIX_BITS;
}
#endif

static bool RADIX_(_is_after)(const RADIX_ITEM *a, const RADIX_ITEM *b)
{
	unsigned int word = 0;

	while (RADIX_KEY(a, word) == RADIX_KEY(b, word))
		if (++word == RADIX_WORDS)
			return false;
	return RADIX_KEY(a, word) > RADIX_KEY(b, word);
}

static void RADIX_(_insertion)(RADIX_ITEM *v, size_t nr)
{
	size_t i, k;

	for (i = 1; i < nr; i++) {
		const RADIX_ITEM item = v[i];

		for (k = i; k && RADIX_(_is_after)(&v[k - 1], &item); k--)
			v[k] = v[k - 1];
		v[k] = item;
	}
}

/* Swap each item to where those of its digit are: at[digit] and on, up to ends[digit]. */
static void RADIX_(_distribute)(RADIX_ITEM *v, unsigned int word, unsigned int shift,
				unsigned int mask, uint32_t *at, const uint32_t *ends)
{
	enum { AHEAD = 2 };
	unsigned int d, its;

	for (d = 0; d <= mask; d++) {
		while (at[d] < ends[d]) {
			RADIX_ITEM item = v[at[d]];

			/* Until one comes that belongs to where this one was. */
			while ((its = RADIX_KEY(&item, word) >> shift & mask) != d) {
				RADIX_ITEM *to = &v[at[its]++], next = *to;

				*to = item;
				item = next;
				/* So that a later one of this digit need not wait for its place. */
				__builtin_prefetch(to + AHEAD);
			}
			v[at[d]++] = item;
		}
	}
}

/* The words before this one are equal. */
static void RADIX_(_by)(RADIX_ITEM *v, size_t nr, unsigned int word)
{
	const unsigned int bits = nr > RADIX_FEW ? radix_bits_for(nr) : 0, mask = (1u << bits) - 1;
	uint32_t at[1 << RADIX_BITS], ends[1 << RADIX_BITS], begin = 0;
	uint64_t differ = 0;
	unsigned int shift, d;
	size_t i;

	if (nr <= RADIX_FEW) {
		RADIX_(_insertion)(v, nr);
		return;
	}
	while (!differ && word < RADIX_WORDS) {
		for (i = 1; i < nr; i++)
			differ |= RADIX_KEY(&v[i], word) ^ RADIX_KEY(v, word);
		word += !differ;
	}
	if (!differ)
		return;
	/* The highest bit in which keys differ is the digit's highest. */
	shift = 64 - __builtin_clzll(differ);
	shift -= shift < bits ? shift : bits;
	memset(ends, 0, (mask + 1) * sizeof(*ends));
	for (i = 0; i < nr; i++)
		ends[RADIX_KEY(&v[i], word) >> shift & mask]++;
	for (d = 0; d <= mask; d++) {
		at[d] = begin;
		begin = ends[d] += begin;
	}
	RADIX_(_distribute)(v, word, shift, mask, at, ends);
	for (begin = 0, d = 0; d <= mask; begin = ends[d++])
		if (ends[d] - begin > 1)
			RADIX_(_by)(v + begin, ends[d] - begin, word);
}

static void RADIX_SORT(RADIX_ITEM *v, size_t nr)
{
	RADIX_(_by)(v, nr, 0);
}

#undef RADIX_SORT
#undef RADIX_ITEM
#undef RADIX_WORDS
#undef RADIX_KEY
