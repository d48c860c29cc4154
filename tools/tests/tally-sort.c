// SPDX-License-Identifier: GPL-2.0-only
/* Sorting what a tally has, held against qsort(). */
#include "tally/sort.h"
#include "test.h"

#include <stdlib.h>

enum { MAX = 5000 };

static struct tally_entry v[MAX], want[MAX];

static int compare(const void *va, const void *vb)
{
	const struct tally_entry *a = va, *b = vb;
	unsigned int i;

	for (i = 0; i < TALLY_KEY_WORDS - 1 && a->key[i] == b->key[i]; i++)
		;
	return a->key[i] < b->key[i] ? -1 : a->key[i] > b->key[i];
}

/* Words of so many bits, at any place of the word. */
static void check(size_t nr, unsigned int bits, unsigned int shift)
{
	static bool seen[MAX];
	size_t i, k;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < TALLY_KEY_WORDS; k++)
			v[i].key[k] = test_random() >> (64 - bits) << shift;
		v[i].number = i;
	}
	memcpy(want, v, sizeof(v));
	qsort(want, nr, sizeof(*want), compare);
	tally_sort(v, nr);
	/* Equal ones come in any order, but none is lost. */
	memset(seen, 0, sizeof(seen));
	for (i = 0; i < nr; i++) {
		CHECK(!compare(&v[i], &want[i]));
		CHECK(!seen[v[i].number]);
		seen[v[i].number] = true;
	}
}

TEST(entries_are_sorted_by_all_words)
{
	check(MAX, 64, 0);
	/* Most first words are equal, then most first two. */
	check(MAX, 8, 20);
	check(MAX, 3, 61);
}

TEST(entries_of_few_bits_are_sorted)
{
	unsigned int bits;

	for (bits = 1; bits < 64; bits++)
		check(300, bits, test_random() % (65 - bits));
}

TEST(few_are_sorted)
{
	size_t nr;

	for (nr = 0; nr < 40; nr++)
		check(nr, 2, 0);
}
