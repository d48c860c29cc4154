/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which intervals of a run are chosen as windows, by stratum, and what each window stands
 * for. A stratum is what the intervals of one cluster are for statistics.
 */
#ifndef PHASES_PLAN_H
#define PHASES_PLAN_H

#include "phases/cluster.h"
#include "phases/bbv.h"

struct phases_stratum {
	uint64_t intervals;
	uint64_t length; /* of all its intervals */
	uint64_t windows; /* the intervals that are chosen */
	uint64_t window_length; /* of all windows in it */
	double spread; /* the root of the mean square of the distances from its center */
};

struct phases_plan {
	/* One line each; "" if there is nothing to say. They belong to the caller. */
	const char *source; /* the trace or the recording */
	const char *unit; /* of lengths: "instructions", or the name of an event */
	const char *filter; /* the options of `ssctr cut` that select the same */
	uint64_t size; /* how long an interval was to be */
	bool random; /* windows are random; otherwise they represent their strata */
	uint64_t seed;

	struct phases_interval *v; /* belongs to the caller */
	size_t nr;
	uint64_t length; /* of all intervals */
	size_t windows; /* the intervals that are chosen */
	struct phases_stratum strata[PHASES_MAX_CLUSTERS];
	unsigned int nr_strata;
};

/* Let the clusters be the strata. There is a cluster for each interval. */
void phases_plan_stratify(struct phases_plan *plan,
			  const struct phases_clusters *clusters);

/* Add up, from the intervals, everything but the spreads. */
void phases_plan_add_up(struct phases_plan *plan);

/* Choose for each stratum the interval that is nearest to its center. */
void phases_plan_represent(struct phases_plan *plan,
			   const struct phases_clusters *clusters);

/*
 * Returns the stratum that gains the most from one more window, or nr_strata if all
 * intervals are chosen. The windows in each stratum are `windows`. Strata with fewer than
 * two come first, because the variance is not known there. Then it is the one in which the
 * variance of the estimate falls most, if spreads are in proportion to the standard
 * deviations of what is measured. If no stratum has a spread, all have the same one.
 */
unsigned int phases_plan_next(const struct phases_plan *plan, const uint64_t *windows,
			      const double *spreads);

/*
 * Distribute up to `windows` windows, the chosen ones included, over the strata: by their
 * lengths and spreads, or by their lengths alone. wanted gets a number for each stratum.
 */
void phases_plan_allocate(const struct phases_plan *plan, size_t windows,
			  bool by_length, uint64_t *wanted);

/*
 * Choose random intervals in each stratum, until it has as many windows as are wanted, and
 * add up. Each interval that is not chosen has the same chance.
 */
void phases_plan_choose(struct phases_plan *plan, const uint64_t *wanted,
			uint64_t seed);

/* Returns the share of the run for which a window stands, 0 to 1. All add up to 1. */
double phases_plan_weight(const struct phases_plan *plan,
			  const struct phases_interval *window);

#endif
