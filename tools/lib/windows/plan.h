/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The windows of a run, and what each of them stands for. There are two ways to them:
 *
 * - A run is divided into intervals, and some of these are chosen. An interval belongs to a
 *   stratum, which is what the intervals of one phase are for statistics.
 * - Windows are recorded, one in each `every` instructions of a thread or CPU. All of them
 *   are chosen, and they are one stratum.
 */
#ifndef WINDOWS_PLAN_H
#define WINDOWS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WINDOWS_MAX_PHASES = 256,
	WINDOWS_MAX_INTERVALS = 1 << 18,
};

enum windows_choice {
	WINDOWS_CHOICE_RANDOM,
	WINDOWS_CHOICE_REPRESENTATIVE, /* the most typical of each stratum */
	WINDOWS_CHOICE_SYSTEMATIC, /* recorded, at the same place of each interval */
};

struct windows_interval {
	uint64_t start; /* instructions, or counts of the event, before it */
	uint64_t length; /* the same, in it */
	/* Only of recordings: */
	uint64_t from, to; /* the times of its first and last sample, in ns */
	uint64_t samples; /* 0: it is from a trace */
	uint32_t stratum;
	bool chosen; /* it is a window */
};

/* What there is about a recorded window beside its start and length in the trace. */
struct windows_recorded {
	uint64_t weight; /* the instructions that it stands for */
	uint64_t place; /* instructions that its source had executed before it */
	uint32_t source; /* the thread or CPU that has windows, numbered from 0 on */
	uint32_t pid, tid, cpu; /* of its first sample; UINT32_MAX: not known */
};

struct windows_stratum {
	uint64_t intervals;
	uint64_t length; /* of all its intervals, or for which its windows stand */
	uint64_t windows; /* the intervals that are chosen */
	uint64_t window_length; /* of all windows in it */
	double spread; /* the root of the mean square of the distances from its center */
};

struct windows_plan {
	/* One line each; "" if there is nothing to say. They belong to the caller. */
	const char *source; /* the trace or the recording */
	const char *unit; /* of lengths: "instructions", or the name of an event */
	const char *filter; /* the options of `ssctr cut` that select the same */
	uint64_t size; /* how long an interval, or a recorded window, was to be */
	enum windows_choice choice;
	uint64_t seed;
	uint64_t warmup; /* how much before its interval a window is to begin */
	/* The share of what ran that the source has, 0 to 1. 0: it is not known. */
	double coverage;
	/* Instructions that the source shows more than once. Negative: not known. */
	int64_t repeated;

	struct windows_interval *v; /* belongs to the caller */
	size_t nr;
	uint64_t length; /* of all intervals, or for which all windows stand */
	size_t windows; /* the intervals that are chosen */
	struct windows_stratum strata[WINDOWS_MAX_PHASES];
	unsigned int nr_strata;

	/* NULL, or an element for each of v, which then are windows in a trace of windows. */
	struct windows_recorded *recorded; /* belongs to the caller */
	uint64_t every; /* recorded: one window in so many instructions */
	uint64_t left_out; /* recorded: windows that were not complete */
};

/* What was measured in a window. */
struct windows_value {
	double mean; /* for each instruction */
	bool known;
};

/* Add up, from the intervals, everything but the spreads. */
void windows_add_up(struct windows_plan *plan);

/* Returns the share of the run for which a window stands, 0 to 1. All add up to 1. */
double windows_weight(const struct windows_plan *plan, size_t window);

#endif
