/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From what a model measures in each window to the whole run, with a confidence interval.
 *
 * What is measured is a mean over the instructions of a window, such as the cycles per
 * instruction. In each stratum, the mean of the windows is weighted by their lengths. The
 * strata are weighted by theirs. The variance is that of stratified random sampling, with
 * the correction for populations of a finite size. Strata in which windows do not tell a
 * variance are joined with their neighbours in the order of their numbers.
 *
 * Recorded windows have other formulas: see pairs.h.
 */
#ifndef PHASES_ESTIMATE_H
#define PHASES_ESTIMATE_H

#include "phases/plan.h"

struct phases_estimate {
	double mean; /* of the whole run, for each instruction */
	/*
	 * The confidence interval is mean - half to mean + half. INFINITY: it is not known,
	 * because there is only one window, or windows are not random.
	 */
	double half;
	double freedom; /* degrees of it; INFINITY if nothing varies */
	size_t windows; /* the values that were used */
	size_t missing; /* windows without a value */
	unsigned int joined; /* strata that were joined with others for the variance */
};

/*
 * Estimate. values has an element for each of v of the plan. confidence is above 0 and
 * below 1. Returns 0, ERROR_NOTHING if no value is known, ERROR_INPUT if values are so large
 * that the result is no number, or ERROR_NOMEM.
 */
int phases_estimate(const struct windows_plan *plan, const struct windows_value *values,
		    double confidence, struct phases_estimate *estimate,
		    struct error *error);

/*
 * Find how many windows each stratum needs, those included that have values, so that half
 * of the confidence interval is not more than `half`. If it is more with the windows that
 * have values, the plan is for larger variances than those of the values, and for variances
 * that are more alike: the next interval must hold the truth as often as it says, and be
 * small enough in about four of five cases. Windows without a value are no help, and their
 * intervals cannot be chosen again. Returns false if therefore all others are too few;
 * needed is then all of them. Call this if phases_estimate() found an interval, and not for
 * recorded windows.
 */
bool phases_estimate_needed(const struct windows_plan *plan,
			    const struct windows_value *values, double confidence,
			    double half, uint64_t *needed);

#endif
