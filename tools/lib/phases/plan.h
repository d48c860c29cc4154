/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which intervals of a run are chosen as windows, by stratum. A stratum is what the
 * intervals of one cluster are for statistics.
 */
#ifndef PHASES_PLAN_H
#define PHASES_PLAN_H

#include "phases/cluster.h"
#include "windows/plan.h"

/* Let the clusters be the strata. There is a cluster for each interval. */
void phases_plan_stratify(struct windows_plan *plan,
			  const struct phases_clusters *clusters);

/* Choose for each stratum the interval that is nearest to its center. */
void phases_plan_represent(struct windows_plan *plan,
			   const struct phases_clusters *clusters);

/*
 * Returns the stratum that gains the most from one more window, or nr_strata if each has
 * `most` of them. The windows in each stratum are `windows`. Strata with fewer than
 * two come first, because the variance is not known there. Then it is the one in which the
 * variance of the estimate falls most, if spreads are in proportion to the standard
 * deviations of what is measured. If no stratum has a spread, all have the same one.
 */
unsigned int phases_plan_next(const struct windows_plan *plan, const uint64_t *windows,
			      const uint64_t *most, const double *spreads);

/*
 * Distribute up to `windows` windows, the chosen ones included, over the strata: by their
 * lengths and spreads, or by their lengths alone. wanted gets a number for each stratum.
 */
void phases_plan_allocate(const struct windows_plan *plan, size_t windows,
			  bool by_length, uint64_t *wanted);

/*
 * Choose random intervals in each stratum, until it has as many windows as are wanted, and
 * add up. Each interval that is not chosen has the same chance.
 */
void phases_plan_choose(struct windows_plan *plan, const uint64_t *wanted,
			uint64_t seed);

#endif
