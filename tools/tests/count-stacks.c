// SPDX-License-Identifier: GPL-2.0-only
/* Stacks that are kept: all of them, and of too many some, as far apart as each other. */
#include "count/stacks.h"
#include "test.h"

static struct count_stacks stacks;

/* A stack of lines of its number. */
static void add(uint32_t number, unsigned int nr)
{
	const uint32_t steps[] = { number, number, number, number };
	const uint32_t weights[] = { 7, 7, 7, 7 };

	if (!count_stacks_begin(&stacks))
		return;
	CHECK(count_stacks_add(&stacks, steps, weights, nr));
	CHECK(count_stacks_end(&stacks, 0.5f));
}

TEST(a_few_are_kept_as_they_are)
{
	add(1, 4);
	add(2, 1);
	add(3, 2);
	CHECK_EQ(stacks.nr, 3);
	CHECK_EQ(stacks.v[0].end, 4);
	CHECK_EQ(stacks.v[1].end, 5);
	CHECK_EQ(stacks.v[2].end, 7);
	CHECK_EQ(stacks.lines[4].step, 2);
	CHECK_EQ(stacks.lines[6].step, 3);
	CHECK_EQ(stacks.lines[6].weight, 7);
	CHECK(stacks.v[1].own == 0.5f);
	count_stacks_free(&stacks);
	count_stacks_free(&stacks); /* which does nothing */
}

TEST(of_too_many_some_are_kept_evenly)
{
	/* Seven are not a power of two, so that there is an odd number of them at times. */
	const uint32_t nr = COUNT_STACKS_MOST / 4 * 7;
	uint32_t i;

	for (i = 0; i < nr; i++)
		add(i, 3);
	CHECK(stacks.nr_lines <= COUNT_STACKS_MOST + 4);
	CHECK(stacks.nr >= COUNT_STACKS_MOST / 3 / 2);
	CHECK_EQ(stacks.every, 8);
	for (i = 0; i < stacks.nr; i++) {
		CHECK_EQ(stacks.v[i].end, 3 * (i + 1));
		CHECK_EQ(stacks.lines[3 * i].step, 8 * i);
		CHECK_EQ(stacks.lines[3 * i + 2].step, 8 * i);
	}
	count_stacks_free(&stacks);
}
