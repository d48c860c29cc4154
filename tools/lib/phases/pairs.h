/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The estimate of a whole run from recorded windows, one in each interval of a thread or
 * CPU. A window counts by what it stands for. What a window without a value stands for goes
 * to the window before it, or to the first one with a value.
 *
 * One window does not tell how much its interval varies. So neighbours are compared in
 * pairs (collapsed strata): the variance of w1 m1 + w2 m2 is taken as
 * (w1^2 + w2^2) (m1 - m2)^2 / 2. If windows are at random places and weights are equal, its
 * expected value is the variance, plus w1^2 times the squared difference between the means
 * of both intervals. So it is not too small on average. At systematic places, no formula is
 * right for all programs, and this one is used, too.
 *
 * An odd number of windows makes one group of three: (w1^2 + w2^2 + w3^2) times the variance
 * of its values. A thread or CPU with one window joins the next one.
 */
#ifndef PHASES_PAIRS_H
#define PHASES_PAIRS_H

#include "phases/estimate.h"

/*
 * A part of phases_estimate(), for recorded windows. The estimate is of values that are
 * divided by 2 to the exponent. All its members are 0, and half is INFINITY. Returns 0,
 * ERROR_NOTHING or ERROR_NOMEM.
 */
int phases_pairs_estimate(const struct windows_plan *plan,
			  const struct windows_value *values, int exponent, double confidence,
			  struct phases_estimate *estimate, struct error *error);

/*
 * Returns about how many windows, those included that have values, make half of the
 * confidence interval not more than `half`. The estimate has an interval.
 */
uint64_t phases_pairs_needed(const struct phases_estimate *estimate, double half);

#endif
