// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs whose whole trace is known: what two branch predictors and two caches do in 2 %
 * of the run must tell what they do in all of it, and how exactly.
 */
#include "phases-models.h"
#include "phases-program.h"

enum { PROGRAMS = 6, INTERVAL = 1000, INTERVALS = 9000, PHASES_AT_MOST = 8 };

static unsigned int hold_program(unsigned int seed)
{
	static struct prog p;
	static struct judged j;
	const char *path = test_path("p.stf");
	unsigned int k, sum = 0;
	char name[20];

	sprintf(name, "program %u", seed);
	prog_plan(&p, seed);
	prog_write(&p, path, (uint64_t)INTERVAL * INTERVALS);
	judge(&j, name, path, INTERVAL, PHASES_AT_MOST);
	for (k = 0; k < MODELS; k++) {
		CHECK(j.error[k] <= 0.03);
		/* 95 % of 200, less three standard deviations of a count. */
		CHECK(j.held[k] >= 180);
		sum += j.held[k];
	}
	return sum;
}

TEST(estimates_of_six_programs_hold_the_truth)
{
	const unsigned int all = PROGRAMS * MODELS * REPETITIONS;
	unsigned int seed, sum = 0;

	for (seed = 1; seed <= PROGRAMS; seed++)
		sum += hold_program(seed);
	printf("# held in all: %u of %u\n", sum, all);
	CHECK(sum >= 0.95 * all);
}
