// SPDX-License-Identifier: GPL-2.0-only
/* The steps of each of many binaries. */
#include "profile/parts.h"
#include "test.h"

#include <stdlib.h>

enum { NR = 20, STEPS = 500 };

static struct count_step steps[STEPS];
static const struct counts counts = { .steps = steps, .nr_steps = STEPS };

static count_place random_place(void)
{
	return (count_place)(test_random() % NR) << COUNT_OFFSET_BITS | (test_random() % 1000);
}

static void fill(void)
{
	size_t i;

	for (i = 0; i < STEPS; i++)
		steps[i] = (struct count_step){
			random_place() | (test_random() % 2 ? COUNT_MISPREDICTED : 0),
			random_place(), i, 0, 0
		};
}

/* Each step of them is there once, and no other. The counts tell the steps apart. */
static void check_part(const bool *is_mine, const struct counts *part)
{
	bool seen[STEPS] = { false };
	size_t i, nr = 0;

	for (i = 0; i < part->nr_steps; i++) {
		const struct count_step *s = &part->steps[i];

		CHECK(!seen[s->count]);
		seen[s->count] = true;
		CHECK_EQ(memcmp(s, &steps[s->count], sizeof(*s)), 0);
	}
	for (i = 0; i < STEPS; i++)
		nr += is_mine[count_number_of(steps[i].from)] ||
		      is_mine[count_number_of(steps[i].to)];
	for (i = 0; i < part->nr_steps; i++)
		CHECK(is_mine[count_number_of(part->steps[i].from)] ||
		      is_mine[count_number_of(part->steps[i].to)]);
	CHECK_EQ(part->nr_steps, nr);
}

TEST(each_step_is_a_part_of_its_binaries)
{
	struct prof_parts parts;
	struct counts part;
	unsigned int i, k;

	fill();
	CHECK(prof_parts_make(&parts, &counts, NR));
	for (i = 0; i < 200; i++) {
		bool is_mine[NR] = { false };

		for (k = test_random() % 4; k--;)
			is_mine[test_random() % NR] = true;
		CHECK(prof_parts_take(&parts, &counts, is_mine, &part));
		check_part(is_mine, &part);
		free(part.steps);
	}
	prof_parts_free(&parts);
}

TEST(without_steps_all_parts_are_empty)
{
	const struct counts none = { 0 };
	const bool is_mine[NR] = { true };
	struct prof_parts parts;
	struct counts part;

	CHECK(prof_parts_make(&parts, &none, NR));
	CHECK(prof_parts_take(&parts, &none, is_mine, &part));
	CHECK_EQ(part.nr_steps, 0);
	free(part.steps);
	prof_parts_free(&parts);
}
