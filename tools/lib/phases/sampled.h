/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The basic-block vectors of a recording. They are estimates: the vector of an interval
 * comes from the branch stacks of the samples in it, in which each line has the weight by
 * which it stands for what ran (count/weigh.h).
 */
#ifndef PHASES_SAMPLED_H
#define PHASES_SAMPLED_H

#include "count/count.h"
#include "phases/bbv.h"

/*
 * Count a sample that was just counted with count_sample(), and forget its stack, which
 * is the only one that counts->stacks keeps. period is what lies between it and the sample
 * before. The period of a sample is never divided between two intervals. Returns 0,
 * ERROR_NOMEM, ERROR_INPUT or ERROR_OUTPUT.
 */
int phases_add_sample(struct phases_bbv *bbv, struct counts *counts,
		      uint64_t period, uint64_t time, struct error *error);

#endif
