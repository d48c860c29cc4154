/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts for each interval of so many instructions, as they end. */
#ifndef TRACESTAT_INTERVALS_H
#define TRACESTAT_INTERVALS_H

#include "tracestat/branches.h"
#include "tracestat/mix.h"

/* What is counted in an interval, or from the beginning of the trace. */
struct tstat_interval {
	uint64_t start; /* the number of its first instruction */
	uint64_t instructions;
	uint64_t classes[RV_N_CLASSES];
	uint64_t user; /* instructions in user mode */
	uint64_t gaps; /* before its instructions */
	/* Conditional branches. The predictors go on from interval to interval. */
	struct tstat_predicted conditional;
	uint64_t further; /* executions of branches without counts of their own */
};

/* Set all members to 0 first, except the first three. */
struct tstat_intervals {
	uint64_t size; /* instructions; 0: there are no intervals */
	/* Called when an interval ends. */
	void (*on_interval)(void *arg, const struct tstat_interval *interval);
	void *arg;
	/* Counted before this interval, whose start is in it. */
	struct tstat_interval before;
};

/*
 * The interval ends here: these are all counts from the beginning of the trace. next is the
 * number of the next instruction.
 */
void tstat_intervals_end(struct tstat_intervals *intervals, const struct tstat_mix *mix,
			 const struct tstat_branches *branches, uint64_t gaps,
			 uint64_t next);

/* Call this after each instruction. */
static inline void tstat_intervals_step(struct tstat_intervals *intervals,
					const struct tstat_mix *mix,
					const struct tstat_branches *branches,
					uint64_t gaps, uint64_t next)
{
	if (intervals->size &&
	    mix->instructions - intervals->before.instructions == intervals->size)
		tstat_intervals_end(intervals, mix, branches, gaps, next);
}

#endif
