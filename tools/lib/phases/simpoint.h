/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plan in the formats of SimPoint. phases/bbv.h writes the vectors.
 *
 *	simpoints	lines `INTERVAL NUMBER`, one for each window
 *	weights		lines `WEIGHT NUMBER`, in the same order
 *	labels		lines `STRATUM DISTANCE`, one for each interval: the distance from
 *			the center of the cluster
 *
 * If there is one window in each stratum, NUMBER is the stratum. Otherwise it is the number
 * of the window, from 0 on, because readers use it to find the weight.
 */
#ifndef PHASES_SIMPOINT_H
#define PHASES_SIMPOINT_H

#include "phases/plan.h"

#include <stdio.h>

/* The errors of writing are those of file. */
void phases_simpoint_points(const struct windows_plan *plan, FILE *file);
void phases_simpoint_weights(const struct windows_plan *plan, FILE *file);
void phases_simpoint_labels(const struct windows_plan *plan,
			    const struct phases_clusters *clusters, FILE *file);
/* Lines with the start of each interval, as stf_bbv writes them. */
void phases_simpoint_starts(const struct windows_plan *plan, FILE *file);

#endif
