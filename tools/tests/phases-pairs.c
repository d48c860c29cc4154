// SPDX-License-Identifier: GPL-2.0-only
/* Estimates from recorded windows: by hand, and of windows that differ by chance alone. */
#include <math.h>
#include <stdio.h>

#include "phases/estimate.h"
#include "phases/pairs.h"
#include "phases/student.h"
#include "test.h"

enum { MOST = 200 };

static struct windows_interval v[MOST];
static struct windows_recorded recorded[MOST];
static struct windows_value values[MOST];
static struct windows_plan plan;
static struct phases_estimate e;
static struct error error;

#define CHECK_NEAR(_got, _want)                                                \
	do {                                                                   \
		double _g = (_got), _w = (_want);                              \
		if (!(fabs(_g - _w) <= 1e-9 * fmax(1, fabs(_w))))              \
			test_fail(__FILE__, __LINE__, "%s is %.12g, not %.12g", \
				  #_got, _g, _w);                              \
	} while (0)

static void begin(void)
{
	plan = (struct windows_plan){ .v = v, .recorded = recorded, .nr_strata = 1 };
}

static void add(uint32_t source, uint64_t weight, double value)
{
	v[plan.nr] = (struct windows_interval){ .length = 10, .chosen = true };
	recorded[plan.nr] = (struct windows_recorded){ .weight = weight, .source = source };
	values[plan.nr++] = (struct windows_value){ value, !isnan(value) };
}

static void run(void)
{
	windows_add_up(&plan);
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), 0);
}

/*
 * Shares 1/4 each. The pairs have (1/16 + 1/16) * 4 / 2 = 1/4 and (1/16 + 1/16) * 36 / 2 =
 * 9/4, which is 5/2 with 6.25 / (1/16 + 81/16) degrees of freedom.
 */
TEST(neighbours_are_compared)
{
	begin();
	add(0, 100, 1);
	add(0, 100, 3);
	add(0, 100, 20);
	add(0, 100, 26);
	run();
	CHECK_NEAR(e.mean, 12.5);
	CHECK_NEAR(e.freedom, 6.25 / (82 / 16.0));
	CHECK_NEAR(e.half, phases_student(0.95, 6.25 / (82 / 16.0)) * sqrt(2.5));
	CHECK_EQ(e.windows, 4);
	CHECK_EQ(e.missing, 0);
}

/* (0.5^2 + 0.3^2 + 0.2^2) times the variance of 1, 2 and 6, which is 7. */
TEST(three_windows_are_one_group)
{
	begin();
	add(0, 500, 1);
	add(0, 300, 2);
	add(0, 200, 6);
	run();
	CHECK_NEAR(e.mean, 2.3);
	CHECK_NEAR(e.freedom, 2);
	CHECK_NEAR(e.half, phases_student(0.95, 2) * sqrt(0.38 * 7));
}

/* Those of two threads stand in turn in the trace, and differ from each other only. */
TEST(neighbours_are_those_of_one_thread)
{
	begin();
	add(0, 100, 1);
	add(1, 300, 5);
	add(0, 100, 1);
	add(1, 300, 5);
	run();
	CHECK_NEAR(e.mean, 4);
	CHECK_NEAR(e.half, 0);
	CHECK(isinf(e.freedom));
}

/* A thread with one window, between others and at the end: groups of 2, 2 and 3. */
TEST(a_thread_with_one_window_joins_others)
{
	begin();
	add(0, 100, 1);
	add(0, 100, 1);
	add(1, 100, 2);
	add(2, 100, 4);
	add(2, 100, 4);
	add(3, 100, 4);
	run();
	/* 1 with 1; 2 with 4, 4 and 4, whose variance is 1. */
	CHECK_NEAR(e.mean, 16 / 6.0);
	CHECK_NEAR(e.freedom, 3);
	CHECK_NEAR(e.half, phases_student(0.95, 3) * sqrt(4 / 36.0));
}

/* The first goes to the second, the fourth to the third, and none to another thread. */
TEST(windows_without_values_go_to_those_before)
{
	begin();
	add(0, 100, NAN);
	add(0, 200, 1);
	add(0, 300, 2);
	add(0, 100, NAN);
	add(1, 100, 5);
	add(2, 900, NAN);
	run();
	CHECK_EQ(e.windows, 3);
	CHECK_EQ(e.missing, 3);
	CHECK_NEAR(e.mean, (300 * 1 + 400 * 2 + 100 * 5) / 800.0);
}

TEST(one_window_has_no_interval)
{
	begin();
	add(0, 100, 7);
	run();
	CHECK_NEAR(e.mean, 7);
	CHECK(isinf(e.half));
	begin();
	add(0, 100, NAN);
	windows_add_up(&plan);
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), ERROR_NOTHING);
}

/* Squares of them are not in the range of doubles. */
TEST(recorded_values_of_any_size)
{
	begin();
	add(0, 100, 1e200);
	add(0, 100, 3e200);
	run();
	CHECK_NEAR(e.mean / 1e200, 2);
	CHECK_NEAR(e.half / 1e200, phases_student(0.95, 1));
	begin();
	add(0, 100, 1e308);
	add(0, 100, -1e308);
	windows_add_up(&plan);
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), ERROR_INPUT);
}

TEST(windows_for_a_wanted_error_of_recorded_ones)
{
	e = (struct phases_estimate){ .half = 0.3, .windows = 10 };
	CHECK_EQ(phases_pairs_needed(&e, 0.3), 10);
	CHECK_EQ(phases_pairs_needed(&e, 0.1), 90);
	CHECK_EQ(phases_pairs_needed(&e, 0.4), 10);
	CHECK_EQ(phases_pairs_needed(&e, 0), UINT64_C(1000000000000000));
}

static double share(void)
{
	return (double)(test_random() >> 11) * 0x1p-53;
}

/*
 * Nothing but chance, so the variance is neither too small nor too large: with 100 windows,
 * 95 % of 4000 intervals hold the truth, and what Satterthwaite's degrees of freedom add. In
 * ten runs these were 3811 to 3867, on average 3836. A count of them has a standard deviation
 * of 12.5. The bounds are six of them, and the error of that average, away.
 */
TEST(intervals_hold_what_varies_by_chance)
{
	unsigned int held = 0, r, i;

	for (r = 0; r < 4000; r++) {
		begin();
		for (i = 0; i < 100; i++)
			add(0, 100, share() + share());
		run();
		held += fabs(e.mean - 1) <= e.half;
	}
	printf("# held: %u of 4000\n", held);
	CHECK(held >= 3755 && held <= 3917);
}
