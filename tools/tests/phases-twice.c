// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two-phase sampling: the values of few windows tell how many more there must be. The
 * interval from all of them must hold the truth as often as it says, although their number
 * depends on the first values.
 */
#include <math.h>
#include <stdio.h>

#include "phases/estimate.h"
#include "test.h"

enum { INTERVALS = 3000, TRIALS = 2000, SEED = 44 };

/* Values are normal. Phases have equal lengths, and their means are 10, 11, 12, ... */
struct population {
	unsigned int phases;
	unsigned int pilot; /* windows that each phase has at first */
	double error; /* that is wanted, as a share of the mean */
	double spread; /* the standard deviation in the first phase */
	double growth; /* of the standard deviation, from each phase to the next */
};

struct seen {
	unsigned int first, second; /* intervals that hold the truth */
	unsigned int reached; /* the wanted error */
	size_t windows;
};

static struct windows_interval v[INTERVALS];
static struct windows_value all[INTERVALS], values[INTERVALS];
static struct windows_plan plan;

static double normal(void)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += (double)(test_random() >> 11) * 0x1p-53;
	return sum;
}

/* Returns the mean of all intervals. */
static double populate(const struct population *p)
{
	double sum = 0;
	unsigned int i;

	plan = (struct windows_plan){ .v = v, .nr = INTERVALS, .nr_strata = p->phases };
	for (i = 0; i < INTERVALS; i++) {
		const unsigned int phase = i % p->phases;

		v[i] = (struct windows_interval){ .length = 1000,
						  .stratum = phase,
						  .chosen = i / p->phases < p->pilot };
		all[i].mean = 10 + phase + p->spread * pow(p->growth, phase) * normal();
		sum += all[i].mean;
	}
	windows_add_up(&plan);
	return sum / INTERVALS;
}

static struct phases_estimate measure(void)
{
	struct phases_estimate e;
	struct error error;
	unsigned int i;

	for (i = 0; i < INTERVALS; i++)
		values[i] = (struct windows_value){ all[i].mean, v[i].chosen };
	CHECK_EQ(phases_estimate(&plan, values, 0.95, &e, &error), 0);
	return e;
}

static void sample_twice(const struct population *p, uint64_t seed, struct seen *seen)
{
	const double truth = populate(p);
	struct phases_estimate e = measure();
	uint64_t needed[PHASES_MAX_CLUSTERS];

	seen->first += fabs(e.mean - truth) <= e.half;
	CHECK(phases_estimate_needed(&plan, values, 0.95, p->error * e.mean, needed));
	phases_plan_choose(&plan, needed, seed);
	e = measure();
	seen->second += fabs(e.mean - truth) <= e.half;
	seen->reached += e.half <= p->error * e.mean;
	seen->windows += plan.windows;
}

/* The bounds are six standard deviations of such a count away from 95 % and from 70 %. */
TEST(the_second_interval_holds_the_truth_and_is_mostly_small_enough)
{
	static const struct population populations[] = {
		{ 1, 30, 0.02, 1, 1 }, { 4, 8, 0.02, 1, 1 },	  { 6, 2, 0.02, 1, 1 },
		{ 10, 3, 0.02, 1, 1 }, { 10, 3, 0.01, 0.3, 1.29 },
	};
	size_t i;
	unsigned int trial;

	test_random_from(SEED);
	for (i = 0; i < sizeof(populations) / sizeof(populations[0]); i++) {
		const struct population *p = &populations[i];
		struct seen seen = { 0 };

		for (trial = 0; trial < TRIALS; trial++)
			sample_twice(p, trial, &seen);
		printf("# %u phases with %u windows, deviation %g * %g, seed %d: of %d, the first interval holds %u, the second %u, small enough %u, %zu windows\n",
		       p->phases, p->pilot, p->spread, p->growth, SEED, TRIALS, seen.first,
		       seen.second, seen.reached, seen.windows / TRIALS);
		CHECK(seen.second >= 0.95 * TRIALS - 6 * sqrt(TRIALS * 0.95 * 0.05));
		CHECK(seen.reached >= 0.7 * TRIALS - 6 * sqrt(TRIALS * 0.7 * 0.3));
	}
}
