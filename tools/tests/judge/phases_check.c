// SPDX-License-Identifier: GPL-2.0-only
/*
 * Do estimates from 2 % of a trace tell what models count in all of it? PHASES_TRACE names
 * the trace, PHASES_NAME the program and PHASES_INTERVAL how long an interval is.
 */
#include "../phases-models.h"

TEST(estimates_of_a_trace_hold_the_truth)
{
	static struct judged j;
	const char *path = getenv("PHASES_TRACE"), *name = getenv("PHASES_NAME");
	const char *interval = getenv("PHASES_INTERVAL");
	unsigned int k, sum = 0;

	CHECK(path && name && interval);
	judge(&j, name, path, strtoull(interval, NULL, 10), 20);
	for (k = 0; k < MODELS; k++)
		sum += j.held[k];
	CHECK(sum >= 0.93 * MODELS * REPETITIONS);
}
