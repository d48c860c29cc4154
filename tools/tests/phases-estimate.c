// SPDX-License-Identifier: GPL-2.0-only
/* Estimates and their errors, worked out by hand from the formulas of stratified sampling. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "phases/estimate.h"
#include "phases/student.h"
#include "test.h"

static struct windows_interval v[1000];
static struct windows_value values[1000];
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
	plan = (struct windows_plan){ .v = v, .choice = WINDOWS_CHOICE_RANDOM };
	memset(values, 0, sizeof(values));
}

/* A stratum of n intervals, the first nr of which have these values. */
static void add(unsigned int n, unsigned int nr, const double *its)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		v[plan.nr] = (struct windows_interval){
			.length = 10, .stratum = plan.nr_strata, .chosen = i < nr };
		if (i < nr)
			values[plan.nr] = (struct windows_value){ its[i], true };
		plan.nr++;
	}
	plan.nr_strata++;
	windows_add_up(&plan);
}

#define ADD(_n, ...)                                                           \
	do {                                                                   \
		const double _v[] = { __VA_ARGS__ };                           \
		add(_n, sizeof(_v) / sizeof(*_v), _v);                         \
	} while (0)

static void run(void)
{
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), 0);
}

/*
 * Shares 0.4 and 0.6; means 2 and 12; variances 2 and 4. The variance of the mean is
 * 0.16 * 2 / 2 * (1 - 2 / 4) + 0.36 * 4 / 3 * (1 - 3 / 6) = 0.08 + 0.24, and its degrees
 * of freedom are 0.32^2 / (0.08^2 / 1 + 0.24^2 / 2).
 */
TEST(two_strata)
{
	begin();
	ADD(4, 1, 3);
	ADD(6, 10, 12, 14);
	run();
	CHECK_NEAR(e.mean, 8);
	CHECK_NEAR(e.freedom, 0.1024 / 0.0352);
	CHECK_NEAR(e.half, phases_student(0.95, 0.1024 / 0.0352) * sqrt(0.32));
	CHECK_EQ(e.windows, 5);
	CHECK_EQ(e.joined, 0);
	CHECK_EQ(e.missing, 0);
}

/* The last interval has 5 instructions: 1 and 4 in 10 and 5 are 2 in each. */
TEST(a_short_window_counts_by_its_length)
{
	begin();
	ADD(2, 1, 4);
	v[1].length = 5;
	windows_add_up(&plan);
	run();
	CHECK_NEAR(e.mean, 2);
}

TEST(all_intervals_have_no_error)
{
	begin();
	ADD(3, 1, 2, 9);
	ADD(1, 7);
	run();
	CHECK_NEAR(e.mean, 4.75);
	CHECK_NEAR(e.half, 0);
}

/*
 * Two strata with one window each become one: its mean is 2 and its variance 2, in 2 of 8
 * intervals. t for 1 degree of freedom is 12.7062.
 */
TEST(strata_with_one_window_are_joined)
{
	begin();
	ADD(4, 1);
	ADD(4, 3);
	run();
	CHECK_NEAR(e.mean, 2);
	CHECK_EQ(e.joined, 1);
	CHECK_NEAR(e.half, phases_student(0.95, 1) * sqrt(0.75));
}

/* The last stratum has none, and gets the mean of the one before it. */
TEST(a_stratum_without_a_window_is_joined)
{
	begin();
	ADD(4, 1, 3);
	ADD(4, 5, 7);
	add(8, 0, NULL);
	run();
	CHECK_EQ(e.joined, 1);
	CHECK_NEAR(e.mean, 0.25 * 2 + 0.75 * 6);
	CHECK(e.half > 0 && !isinf(e.half));
}

/* The last stratum has one window alone: 2 and 8 in halves of the run. */
TEST(the_last_stratum_is_joined_with_the_one_before_it)
{
	begin();
	ADD(4, 1, 3);
	ADD(4, 8);
	run();
	CHECK_EQ(e.joined, 1);
	CHECK_NEAR(e.mean, 5);
}

TEST(what_is_missing_is_counted)
{
	begin();
	ADD(10, 1, 2, 3, 4);
	values[2].known = false;
	run();
	CHECK_EQ(e.windows, 3);
	CHECK_EQ(e.missing, 1);
	CHECK_NEAR(e.mean, 7 / 3.0);
}

TEST(an_error_that_is_not_known)
{
	begin();
	ADD(10, 5);
	run();
	CHECK(isinf(e.half));
	CHECK_NEAR(e.mean, 5);
	begin();
	ADD(10, 5, 6);
	plan.choice = WINDOWS_CHOICE_REPRESENTATIVE;
	run();
	CHECK(isinf(e.half));
	begin();
	add(4, 0, NULL);
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), ERROR_NOTHING);
}

/*
 * The first stratum is nine tenths of the run and has one value, the second has three. The
 * mean is 0.9 * 2 + 0.1 * 4. The four differ from it by 0.2 once and by 1.8 three times.
 */
TEST(joined_strata_vary_by_what_each_window_stands_for)
{
	const double variance = (0.2 * 0.2 + 3 * 1.8 * 1.8) / 3;
	const double part = 0.81 * (1 - 1 / 90.0) + 0.01 / 3 * (1 - 3 / 10.0);

	begin();
	ADD(90, 2);
	ADD(10, 4, 4, 4);
	run();
	CHECK_EQ(e.joined, 1);
	CHECK_NEAR(e.mean, 2.2);
	CHECK_NEAR(e.freedom, 3);
	CHECK_NEAR(e.half, phases_student(0.95, 3) * sqrt(variance * part));
}

/* What is left at the end is too little also with the stratum before it, all of whose 1 is known. */
TEST(strata_are_joined_until_they_have_enough)
{
	begin();
	ADD(4, 1, 3);
	ADD(1, 5);
	add(4, 0, NULL);
	run();
	CHECK_EQ(e.joined, 2);
	CHECK(!isinf(e.half));
	CHECK(e.half > 0);
}

/* --- by chance --- */

static double chance(void)
{
	return (double)(test_random() >> 11) * 0x1p-53;
}

/* Nearly normal, with a mean of 1 and a standard deviation of 0.2. */
static double any_value(void)
{
	double sum = 0;
	int i;

	for (i = 0; i < 12; i++)
		sum += chance();
	return 1 + 0.2 * (sum - 6);
}

/* A stratum of which nr intervals have a window with a value. Returns the sum of all. */
static double add_any(unsigned int n, unsigned int nr)
{
	double its[1000], sum = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		its[i] = any_value();
		sum += its[i];
	}
	add(n, nr, its);
	return sum;
}

static unsigned int held_of(unsigned int trials, const unsigned int all[2],
			    const unsigned int known[2])
{
	unsigned int held = 0, r;
	double truth;

	for (r = 0; r < trials; r++) {
		begin();
		truth = add_any(all[0], known[0]);
		truth = (truth + add_any(all[1], known[1])) / plan.nr;
		run();
		held += fabs(e.mean - truth) <= e.half;
	}
	return held;
}

/*
 * 95 % of the intervals hold the truth. Where a stratum has one value, it is more, because
 * the variance is that around a mean which lies near the value that stands for the most.
 * The bounds are six standard deviations of such a count away.
 */
TEST(intervals_hold_the_truth_of_joined_strata)
{
	enum { TRIALS = 2000 };
	static const struct {
		unsigned int all[2], known[2];
		double most;
	} shapes[] = {
		{ { 500, 500 }, { 20, 20 }, 0.95 },
		{ { 900, 100 }, { 1, 30 }, 1 },
		{ { 500, 500 }, { 1, 10 }, 1 },
		{ { 500, 500 }, { 0, 20 }, 0.95 },
		{ { 100, 900 }, { 1, 30 }, 1 },
	};
	const double deviation = sqrt(TRIALS * 0.95 * 0.05);
	size_t i;

	test_random_from(44);
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		unsigned int held = held_of(TRIALS, shapes[i].all, shapes[i].known);

		printf("# %u and %u of %u and %u, seed 44: %u of %d\n", shapes[i].known[0],
		       shapes[i].known[1], shapes[i].all[0], shapes[i].all[1], held, TRIALS);
		CHECK(held >= TRIALS * 0.95 - 6 * deviation);
		CHECK(held <= TRIALS * shapes[i].most + 6 * deviation);
	}
}

/* Squares of them are not in the range of doubles. */
TEST(values_of_any_size)
{
	static const double sizes[] = { 1, 0x1p600, 0x1p-600, 0x1p-1010 };
	uint64_t needed[PHASES_MAX_CLUSTERS], first[PHASES_MAX_CLUSTERS];
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		begin();
		ADD(40, 1 * sizes[i], 3 * sizes[i]);
		ADD(60, 10 * sizes[i], 12 * sizes[i], 14 * sizes[i]);
		run();
		CHECK_NEAR(e.mean / sizes[i], 8);
		CHECK_NEAR(e.half / sizes[i], phases_student(0.95, e.freedom) * sqrt(0.608));
		CHECK(phases_estimate_needed(&plan, values, 0.95, sizes[i], i ? needed : first));
		CHECK(!i || !memcmp(needed, first, 2 * sizeof(*first)));
	}
}

TEST(values_that_are_too_large_are_refused)
{
	begin();
	ADD(40, 1e308, -1e308);
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), ERROR_INPUT);
	begin();
	ADD(40, 1e306);
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), ERROR_INPUT);
	begin();
	ADD(40, 1e304);
	run();
}

/* Half of the interval of two strata, by the formula. */
static double half_with(const uint64_t *n, const double *shares, const double *variances,
			const uint64_t *all)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		double part = shares[i] * shares[i] * variances[i] / (double)n[i] *
			      (1 - (double)n[i] / (double)all[i]);

		sum += part;
		squares += part * part / (double)(n[i] - 1);
	}
	return phases_student(0.95, sum * sum / squares) * sqrt(sum);
}

/*
 * Variances 2 and 8 in strata of 300 and 100, from two values each, so with 1 degree of
 * freedom. The mean of both is 0.75 * 2 + 0.25 * 8 = 3.5, and it counts 30 times. The
 * degrees of freedom of the mean are 3.5^2 / ((1.5^2 + 2^2) / 3) - 2 = 3.88. One of five
 * numbers with this chi-square distribution is below 1.5685, and 1 % more is near enough.
 */
TEST(windows_for_a_wanted_error)
{
	const double more = 3.88 / 1.5685;
	const double variances[] = { more * (2 + 30 * 3.5) / 31, more * (8 + 30 * 3.5) / 31 };
	const double shares[] = { 0.75, 0.25 };
	const uint64_t all[] = { 300, 100 };
	uint64_t needed[PHASES_MAX_CLUSTERS], fewer[2];
	double half;

	for (half = 2; half > 0.05; half *= 0.8) {
		begin();
		ADD(300, 1, 3);
		ADD(100, 10, 14);
		phases_estimate_needed(&plan, values, 0.95, half, needed);
		CHECK(half_with(needed, shares, variances, all) <= half * sqrt(1.01));
		/* In proportion to length times deviation, once there are many. */
		if (needed[0] > 30 && needed[1] < 100)
			CHECK(fabs((double)needed[0] / (double)needed[1] -
				   3 * sqrt(variances[0] / variances[1])) <= 0.1);
		fewer[0] = needed[0] - (needed[0] > 2);
		fewer[1] = needed[1] - (needed[1] > 2);
		CHECK(half_with(fewer, shares, variances, all) > half);
	}
	phases_estimate_needed(&plan, values, 0.95, 1e9, needed);
	CHECK_EQ(needed[0], 2);
	CHECK_EQ(needed[1], 2);
	phases_estimate_needed(&plan, values, 0.95, 0, needed);
	CHECK_EQ(needed[0], 300);
	CHECK_EQ(needed[1], 100);
}

/* Of the first stratum, 4 intervals are left; the second one takes what it cannot. */
TEST(windows_without_values_are_not_counted_on)
{
	uint64_t needed[PHASES_MAX_CLUSTERS];
	size_t i;

	begin();
	ADD(100, 1, 3);
	ADD(300, 10, 14);
	for (i = 0; i < 96; i++)
		v[i].chosen = true;
	windows_add_up(&plan);
	CHECK(phases_estimate_needed(&plan, values, 0.95, 2, needed));
	CHECK_EQ(needed[0], 6);
	CHECK(needed[1] > 6);
	CHECK(needed[1] < 300);
	CHECK(!phases_estimate_needed(&plan, values, 0.95, 0.5, needed));
	CHECK_EQ(needed[0], 6);
	CHECK_EQ(needed[1], 300);
}

/* From the tables of any book. */
TEST(students_t)
{
	static const struct {
		double confidence, freedom, t;
	} table[] = {
		{ 0.95, 1, 12.7062 }, { 0.95, 2, 4.3027 }, { 0.95, 3, 3.1824 },
		{ 0.95, 5, 2.5706 }, { 0.95, 10, 2.2281 }, { 0.95, 30, 2.0423 },
		{ 0.95, 120, 1.9799 }, { 0.95, INFINITY, 1.9600 },
		{ 0.99, 1, 63.6567 }, { 0.99, 4, 4.6041 }, { 0.99, 60, 2.6603 },
		{ 0.99, INFINITY, 2.5758 }, { 0.90, 2, 2.9200 }, { 0.90, 20, 1.7247 },
		{ 0.50, 1, 1.0000 }, { 0.999, 7, 5.4079 }, { 0.95, 1e6, 1.9600 },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double t = phases_student(table[i].confidence, table[i].freedom);

		if (fabs(t - table[i].t) > 6e-5)
			test_fail(__FILE__, __LINE__, "%g %g: %g, not %g",
				  table[i].confidence, table[i].freedom, t, table[i].t);
	}
}
