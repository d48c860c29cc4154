// SPDX-License-Identifier: GPL-2.0-only
/* k-means: points whose clusters are known, and what must hold for all points. */
#include <math.h>
#include <stdlib.h>

#include "phases/cluster.h"
#include "test.h"

enum { DIMS = 15, MAX_POINTS = 20000 };

static double v[MAX_POINTS * DIMS];
static struct error error;

static double share(void)
{
	return (double)(test_random() >> 11) * 0x1p-53;
}

/* Points around k places that are far from each other; point i is at place i % k. */
static struct phases_points make(size_t nr, unsigned int k, double width)
{
	double places[32][DIMS];
	unsigned int d;
	size_t i;

	for (i = 0; i < k; i++)
		for (d = 0; d < DIMS; d++)
			places[i][d] = 2 * share() - 1;
	for (i = 0; i < nr; i++)
		for (d = 0; d < DIMS; d++)
			v[i * DIMS + d] = places[i % k][d] + width * (share() - 0.5);
	return (struct phases_points){ v, nr, DIMS };
}

static void check_places(const struct phases_points *points, unsigned int k,
			 unsigned int max_k, unsigned int want)
{
	struct phases_clusters c;
	size_t i;

	CHECK_EQ(phases_cluster(&c, points, k, max_k, 1, &error), 0);
	CHECK_EQ(c.k, want);
	/* Clusters have numbers in the order of their first points. */
	for (i = 0; i < points->nr; i++)
		CHECK_EQ(c.labels[i], i % want);
	phases_clusters_free(&c);
}

TEST(clusters_are_found_and_their_number)
{
	unsigned int k;

	for (k = 1; k <= 8; k++) {
		struct phases_points points = make(400, k, 0.05);

		check_places(&points, 0, 12, k);
		check_places(&points, k, 0, k);
	}
}

TEST(points_that_are_equal)
{
	struct phases_points points = make(100, 3, 0);

	check_places(&points, 0, 20, 3);
	/* There are only three clusters with points. */
	check_places(&points, 7, 0, 3);
	points = make(50, 1, 0);
	check_places(&points, 0, 20, 1);
}

TEST(more_points_than_the_number_of_clusters_is_found_with)
{
	struct phases_points points = make(MAX_POINTS, 5, 0.05);

	check_places(&points, 0, 8, 5);
}

TEST(fewer_points_than_clusters)
{
	struct phases_points points = make(3, 3, 0);

	check_places(&points, 10, 0, 3);
	points.nr = 1;
	check_places(&points, 0, 20, 1);
}

/* Each point belongs to the nearest center, which is the mean of its points. */
TEST(centers_are_means_and_points_are_near_them)
{
	struct phases_points points = make(1000, 4, 1.5);
	double mean[32][DIMS] = { 0 };
	size_t i, n[32] = { 0 };
	struct phases_clusters c;
	unsigned int d, k;

	CHECK_EQ(phases_cluster(&c, &points, 9, 0, 5, &error), 0);
	for (i = 0; i < points.nr; i++) {
		n[c.labels[i]]++;
		for (d = 0; d < DIMS; d++)
			mean[c.labels[i]][d] += v[i * DIMS + d];
		for (k = 0; k < c.k; k++) {
			double square = 0;

			for (d = 0; d < DIMS; d++)
				square += pow(v[i * DIMS + d] - c.centers[k * DIMS + d], 2);
			CHECK(square >= c.squares[i] - 1e-9);
			CHECK(k != c.labels[i] || square <= c.squares[i] + 1e-9);
		}
	}
	for (k = 0; k < c.k; k++)
		for (d = 0; d < DIMS; d++)
			CHECK(fabs(mean[k][d] / (double)n[k] - c.centers[k * DIMS + d]) < 1e-9);
	phases_clusters_free(&c);
}

TEST(the_same_seed_makes_the_same_clusters)
{
	struct phases_points points = make(500, 6, 1);
	struct phases_clusters a, b;

	CHECK_EQ(phases_cluster(&a, &points, 0, 10, 9, &error), 0);
	CHECK_EQ(phases_cluster(&b, &points, 0, 10, 9, &error), 0);
	CHECK_EQ(a.k, b.k);
	CHECK(!memcmp(a.labels, b.labels, points.nr * sizeof(*a.labels)));
	CHECK(!memcmp(a.squares, b.squares, points.nr * sizeof(*a.squares)));
	phases_clusters_free(&a);
	phases_clusters_free(&b);
}
