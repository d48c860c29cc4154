// SPDX-License-Identifier: GPL-2.0-only
/* Sorting by keys, held against qsort(). */
#include "profile/sort.h"
#include "test.h"

#include <stdlib.h>

enum { MAX = 5000 };

static struct prof_key v[MAX], spare[MAX], want[MAX];

static int by_key(const void *va, const void *vb)
{
	const struct prof_key *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static void check(size_t nr, uint64_t mask)
{
	size_t i;

	for (i = 0; i < nr; i++)
		want[i] = v[i] = (struct prof_key){ test_random() & mask, i };
	if (nr)
		qsort(want, nr, sizeof(*want), by_key);
	prof_sort(v, spare, nr);
	for (i = 0; i < nr; i++) {
		CHECK_EQ(v[i].key, want[i].key);
		CHECK_EQ(v[i].index, want[i].index);
	}
}

TEST(keys_of_all_bits_are_sorted)
{
	check(MAX, UINT64_MAX);
}

/* As many digits as not are the same for all, so that the last pass may end in
 * either array. */
TEST(keys_of_few_bits_are_sorted_and_equal_ones_keep_their_order)
{
	unsigned int bits;

	for (bits = 1; bits < 64; bits++)
		check(300, (UINT64_C(1) << bits) - 1);
	check(1000, UINT64_C(0xff00ff));
}

TEST(none_and_one_are_sorted)
{
	check(0, UINT64_MAX);
	check(1, UINT64_MAX);
	check(2, UINT64_MAX);
}
