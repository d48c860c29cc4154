/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clusters of points, by k-means. The first centers are random points that are far from
 * each other (k-means++). All results follow from the points and the seed alone.
 *
 * The number of clusters is the smallest one whose score (the Bayesian information
 * criterion, for round clusters of one size) reaches 90 % of the way from the worst to the
 * best score. It is found with at most PHASES_SAMPLE of the points, and then all points get
 * their clusters.
 */
#ifndef PHASES_CLUSTER_H
#define PHASES_CLUSTER_H

#include "base/error.h"
#include "windows/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PHASES_MAX_CLUSTERS = WINDOWS_MAX_PHASES,
	PHASES_SAMPLE = 8192,
	PHASES_RESTARTS = 3, /* of which the one with the smallest distances counts */
	PHASES_ITERATIONS = 100, /* the most of one start */
};

struct phases_points {
	const double *v; /* dims numbers for each point */
	size_t nr;
	unsigned int dims;
};

struct phases_clusters {
	unsigned int k;
	uint32_t *labels; /* the cluster of each point, below k */
	double *squares; /* of the distance of each point from its center */
	double *centers; /* dims numbers for each cluster */
};

/*
 * Find the clusters: exactly k of them, or if k is 0, at most max_k. There is at least one
 * point, and the numbers of clusters are at most PHASES_MAX_CLUSTERS. If there are fewer
 * points, there are fewer clusters. Clusters without a point do not exist. They are in the
 * order of their first points. Returns 0 or ERROR_NOMEM. Call phases_clusters_free() in
 * either case.
 */
int phases_cluster(struct phases_clusters *clusters,
		   const struct phases_points *points, unsigned int k,
		   unsigned int max_k, uint64_t seed, struct error *error);

void phases_clusters_free(struct phases_clusters *clusters);

#endif
