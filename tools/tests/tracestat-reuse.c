// SPDX-License-Identifier: GPL-2.0-only
/* Reuse distances: by hand, and against a list of all lines in the order of their use. */
#include "test.h"
#include "tracestat/reuse.h"

#include <string.h>

/* Lines A B C A A B: A after B and C, A at once, B after C and A. */
TEST(distances_by_hand)
{
	struct tstat_reuse r = TSTAT_REUSE_INIT(16);
	static const unsigned int lines[] = { 0, 1, 2, 0, 0, 1 };
	unsigned int i;

	for (i = 0; i < 6; i++)
		CHECK(tstat_reuse_use(&r, 0, 0x1000 + 64 * lines[i] + 5 * i, 4));
	CHECK_EQ(r.first, 3);
	CHECK_EQ(r.bins[0], 1);
	CHECK_EQ(r.bins[1], 0);
	CHECK_EQ(r.bins[2], 2); /* 2 or 3 */
	CHECK_EQ(r.far, 0);
	tstat_reuse_free(&r);
}

TEST(an_access_uses_each_line_that_it_touches)
{
	struct tstat_reuse r = TSTAT_REUSE_INIT(16);

	CHECK(tstat_reuse_use(&r, 0, 0x103e, 4));
	CHECK_EQ(r.first, 2);
	CHECK(tstat_reuse_use(&r, 0, 0x103f, 0));
	CHECK_EQ(r.bins[1], 1);
	CHECK(tstat_reuse_use(&r, 0, 0x1000, 64));
	CHECK_EQ(r.bins[0], 1);
	CHECK(tstat_reuse_use(&r, 0, UINT64_MAX, 2));
	CHECK_EQ(r.first, 4);
	tstat_reuse_free(&r);
}

TEST(processes_have_lines_of_their_own)
{
	struct tstat_reuse r = TSTAT_REUSE_INIT(16);

	CHECK(tstat_reuse_use(&r, 1, 0x1000, 4));
	CHECK(tstat_reuse_use(&r, 2, 0x1000, 4));
	CHECK(tstat_reuse_use(&r, 1, 0x1000, 4));
	CHECK_EQ(r.first, 2);
	CHECK_EQ(r.bins[1], 1);
	tstat_reuse_free(&r);
}

TEST(bins_are_powers_of_two)
{
	CHECK_EQ(tstat_reuse_least(0), 0);
	CHECK_EQ(tstat_reuse_least(1), 1);
	CHECK_EQ(tstat_reuse_least(2), 2);
	CHECK_EQ(tstat_reuse_least(3), 4);
	CHECK_EQ(tstat_reuse_least(TSTAT_REUSE_BINS - 1), TSTAT_REUSE_DATA_LINES);
}

enum { LINES = 120 };

/* The lines in the order of their last use, the newest first. */
static unsigned int order[LINES], nr;

/* How many lines were used since; LINES: it is the first use. */
static unsigned int naive(unsigned int line)
{
	unsigned int at = 0;

	while (at < nr && order[at] != line)
		at++;
	memmove(order + 1, order, (at < nr ? at : nr) * sizeof(*order));
	order[0] = line;
	if (at < nr)
		return at;
	nr++;
	return LINES;
}

static void compare(unsigned int max)
{
	struct tstat_reuse r = TSTAT_REUSE_INIT(max);
	uint64_t want[TSTAT_REUSE_BINS] = { 0 }, others = 0;
	unsigned int i, line, distance, bin, spread = 1 + test_random() % LINES;

	nr = 0;
	for (i = 0; i < 3000; i++) {
		if (!(test_random() % 100))
			spread = 1 + test_random() % LINES;
		line = test_random() % spread;
		distance = naive(line);
		CHECK(tstat_reuse_use(&r, line % 3, 64 * (uint64_t)(line / 3), 8));
		if (distance >= max || distance == LINES) {
			others++;
			continue;
		}
		for (bin = 0; bin + 1 < TSTAT_REUSE_BINS &&
			      tstat_reuse_least(bin + 1) <= distance; bin++)
			;
		want[bin]++;
	}
	for (i = 0; i < TSTAT_REUSE_BINS; i++)
		CHECK_EQ(r.bins[i], want[i]);
	CHECK_EQ(r.first + r.far, others);
	if (!r.forgot)
		CHECK_EQ(r.first, nr);
	if (max >= LINES)
		CHECK(!r.forgot && !r.far);
	tstat_reuse_free(&r);
}

TEST(random_distances_are_those_of_a_list)
{
	unsigned int i;

	for (i = 0; i < 12; i++) {
		compare(1u << i % 4 << 2);
		compare(128);
	}
}
