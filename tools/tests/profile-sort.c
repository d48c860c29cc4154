// SPDX-License-Identifier: GPL-2.0-only
/* Sorting steps, held against qsort(). */
#include "profile/sort.h"
#include "test.h"

#include <stdlib.h>

enum { MAX = 5000 };

static struct count_step v[MAX], want[MAX];

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_line(const void *va, const void *vb)
{
	const struct count_step *a = va, *b = vb;

	if (a->to != b->to)
		return compare(a->to, b->to);
	return a->line < b->line ? -1 : a->line > b->line;
}

static int by_branch(const void *va, const void *vb)
{
	const struct count_step *a = va, *b = vb;
	int ret = compare((uint32_t)a->from, (uint32_t)b->from);

	return ret ? ret : by_line(va, vb);
}

/* Equal ones come in any order, but none is lost: counts tell them apart. */
static void check_order(size_t nr, enum prof_order order)
{
	int (*compare)(const void *, const void *) =
		order == PROF_BY_LINE ? by_line : by_branch;
	static bool seen[MAX];
	size_t i;

	memcpy(want, v, nr * sizeof(*v));
	if (nr)
		qsort(want, nr, sizeof(*want), compare);
	prof_sort(v, nr, order);
	memset(seen, 0, sizeof(seen));
	for (i = 0; i < nr; i++) {
		CHECK(!compare(&v[i], &want[i]));
		CHECK(!seen[v[i].count]);
		seen[v[i].count] = true;
	}
}

/* Numbers of so many bits, below so many others that are the same for all. */
static void check(size_t nr, unsigned int bits, uint32_t above)
{
	const uint32_t mask = UINT32_MAX >> (32 - bits);
	size_t i;

	above &= ~mask;
	for (i = 0; i < nr; i++) {
		v[i] = (struct count_step){
			.from = (test_random() & mask) | above,
			.to = (test_random() & mask) | above,
			.line = (test_random() & mask) | above,
			.count = i,
		};
		if (test_random() % 8 == 0)
			v[i].from |= COUNT_MISPREDICTED;
		if (test_random() % 8 == 0)
			v[i].line = COUNT_NO_LINE;
	}
	check_order(nr, PROF_BY_LINE);
	check_order(nr, PROF_BY_BRANCH);
}

TEST(steps_of_all_bits_are_sorted)
{
	check(MAX, 32, 0);
}

TEST(steps_of_few_bits_are_sorted)
{
	unsigned int bits;

	for (bits = 1; bits < 32; bits++)
		check(300, bits, test_random());
}

TEST(many_that_are_equal_are_sorted)
{
	check(MAX, 2, 0x12345678);
	check(MAX, 5, 0);
}

TEST(few_are_sorted)
{
	size_t nr;

	for (nr = 0; nr < 40; nr++)
		check(nr, 3, 0);
}
