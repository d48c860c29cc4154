// SPDX-License-Identifier: GPL-2.0-only
/* Windows: how many each stratum gets, which they are, and what they stand for. */
#include <math.h>
#include <stdlib.h>

#include "phases/plan.h"
#include "test.h"

enum { NR = 120 };

static struct windows_interval v[NR];
static struct windows_plan plan;
static uint64_t wanted[PHASES_MAX_CLUSTERS];

/* Three strata of 20, 40 and 60 intervals of 10 instructions, mixed in the run. */
static void make(double a, double b, double c)
{
	size_t i;

	plan = (struct windows_plan){ .v = v, .nr = NR, .size = 10, .nr_strata = 3 };
	plan.strata[0].spread = a;
	plan.strata[1].spread = b;
	plan.strata[2].spread = c;
	for (i = 0; i < NR; i++)
		v[i] = (struct windows_interval){
			.start = 10 * i, .length = 10,
			.stratum = i % 6 ? 1 + (i % 6 > 2) : 0,
		};
	windows_add_up(&plan);
	CHECK_EQ(plan.strata[0].intervals, 20);
	CHECK_EQ(plan.strata[1].intervals, 40);
	CHECK_EQ(plan.strata[2].intervals, 60);
}

static void check_wanted(size_t windows, bool by_length, unsigned int a, unsigned int b,
			 unsigned int c)
{
	phases_plan_allocate(&plan, windows, by_length, wanted);
	CHECK_EQ(wanted[0], a);
	CHECK_EQ(wanted[1], b);
	CHECK_EQ(wanted[2], c);
}

/* Neyman: in proportion to length times spread, 20 * 6 : 40 * 3 : 60 * 2 = 1 : 1 : 1. */
TEST(windows_by_length_and_spread)
{
	make(6, 3, 2);
	check_wanted(30, false, 10, 10, 10);
	make(3, 0, 1);
	check_wanted(26, false, 12, 2, 12);
}

TEST(windows_by_length_alone)
{
	make(6, 3, 2);
	check_wanted(30, true, 5, 10, 15);
	/* And if there is no spread at all. */
	make(0, 0, 0);
	check_wanted(30, false, 5, 10, 15);
}

TEST(two_windows_of_each_stratum_come_first)
{
	make(0, 0, 9);
	check_wanted(10, false, 2, 2, 6);
	check_wanted(6, false, 2, 2, 2);
}

TEST(no_stratum_gets_more_than_it_has)
{
	make(100, 0.1, 0.1);
	check_wanted(50, false, 20, 12, 18);
	check_wanted(500, false, 20, 40, 60);
}

TEST(as_many_are_chosen_as_are_wanted)
{
	unsigned int seed;
	size_t i, n;

	for (seed = 0; seed < 200; seed++) {
		make(6, 3, 2);
		plan.nr_strata = 3;
		wanted[0] = test_random() % 21;
		wanted[1] = test_random() % 41;
		wanted[2] = 1 + test_random() % 60;
		phases_plan_choose(&plan, wanted, test_random());
		for (n = i = 0; i < NR; i++)
			n += v[i].chosen;
		CHECK_EQ(n, plan.windows);
		CHECK_EQ(n, wanted[0] + wanted[1] + wanted[2]);
		for (i = 0; i < 3; i++)
			CHECK_EQ(plan.strata[i].windows, wanted[i]);
		CHECK_EQ(plan.choice, WINDOWS_CHOICE_RANDOM);
	}
}

TEST(each_interval_has_the_same_chance)
{
	unsigned int seed, times[NR] = { 0 };
	size_t i;

	for (seed = 0; seed < 4000; seed++) {
		make(1, 1, 1);
		wanted[0] = 7;
		wanted[1] = 9;
		wanted[2] = 13;
		phases_plan_choose(&plan, wanted, seed);
		for (i = 0; i < NR; i++)
			times[i] += v[i].chosen;
	}
	for (i = 0; i < NR; i++) {
		const double chances[] = { 7 / 20.0, 9 / 40.0, 13 / 60.0 };
		double p = chances[v[i].stratum], off = times[i] - 4000 * p;

		/* Six standard deviations. */
		CHECK(fabs(off) < 6 * sqrt(4000 * p * (1 - p)));
	}
}

TEST(windows_that_are_added_leave_those_before)
{
	bool before[NR];
	size_t i;

	make(1, 1, 1);
	phases_plan_allocate(&plan, 20, false, wanted);
	phases_plan_choose(&plan, wanted, 1);
	for (i = 0; i < NR; i++)
		before[i] = v[i].chosen;
	phases_plan_allocate(&plan, 50, false, wanted);
	phases_plan_choose(&plan, wanted, 1);
	CHECK_EQ(plan.windows, 50);
	for (i = 0; i < NR; i++)
		CHECK(v[i].chosen || !before[i]);
}

/* They are spread over the run: one in each part of it. */
TEST(windows_of_a_stratum_are_spread_over_the_run)
{
	unsigned int seed, late;
	size_t i;

	for (seed = 0; seed < 100; seed++) {
		make(1, 1, 1);
		wanted[0] = wanted[1] = 0;
		wanted[2] = 20;
		phases_plan_choose(&plan, wanted, seed);
		for (late = 0, i = NR / 2; i < NR; i++)
			late += v[i].chosen;
		CHECK(late >= 9 && late <= 11);
	}
}

TEST(weights_add_up_to_one)
{
	double sum = 0;
	size_t i;

	make(6, 3, 2);
	v[NR - 1].length = 3;
	windows_add_up(&plan);
	phases_plan_allocate(&plan, 30, false, wanted);
	phases_plan_choose(&plan, wanted, 7);
	for (i = 0; i < NR; i++)
		if (v[i].chosen)
			sum += windows_weight(&plan, i);
	CHECK(fabs(sum - 1) < 1e-12);
	/* Ten windows stand for 200 of 1193 instructions. */
	for (i = 0; !v[i].chosen || v[i].stratum; i++)
		;
	CHECK(fabs(windows_weight(&plan, i) - 20 / 1193.0) < 1e-12);
}

TEST(the_most_typical_interval_is_the_nearest_one)
{
	uint32_t labels[] = { 0, 1, 0, 1, 1 };
	double squares[] = { 4, 9, 1, 0, 0 };
	const struct phases_clusters clusters = { .k = 2, .labels = labels,
						  .squares = squares };
	size_t i;

	for (i = 0; i < 5; i++)
		v[i] = (struct windows_interval){ .start = i, .length = 1 };
	plan = (struct windows_plan){ .v = v, .nr = 5, .choice = WINDOWS_CHOICE_RANDOM };
	phases_plan_stratify(&plan, &clusters);
	CHECK(fabs(plan.strata[0].spread - sqrt(2.5)) < 1e-12);
	CHECK(fabs(plan.strata[1].spread - sqrt(3)) < 1e-12);
	phases_plan_represent(&plan, &clusters);
	CHECK_EQ(plan.windows, 2);
	CHECK(v[2].chosen && v[3].chosen && plan.choice == WINDOWS_CHOICE_REPRESENTATIVE);
}
