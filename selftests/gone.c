// SPDX-License-Identifier: GPL-2.0-only
/* gone CPU: is an event of this CPU, which is offline, refused alike with and without branches? */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampler.h"

int main(int argc, char **argv)
{
	struct perf_event_attr attr = sampler_attr(PERF_SAMPLE_BRANCH_USER |
						   PERF_SAMPLE_BRANCH_ANY);
	int cpu = argc > 1 ? atoi(argv[1]) : -1, with, without;
	struct sampler sampler;

	with = sampler_open(&sampler, &attr, -1, cpu);
	attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	without = sampler_open(&sampler, &attr, -1, cpu);
	printf("%s with branches, %s without\n", strerror(-with), strerror(-without));
	return with != -ENODEV || without != -ENODEV;
}
