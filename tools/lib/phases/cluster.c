// SPDX-License-Identifier: GPL-2.0-only
#include "phases/cluster.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Points that are nearer than this to their center are as good as there: the parts of a
 * vector add up to 1.
 */
#define SAME 1e-4

/* One try, and the best one so far. */
struct tries {
	const struct phases_points *points;
	struct phases_clusters now, best;
	double score; /* of the best one */
	size_t *sizes; /* of the clusters */
};

static double square_distance(const double *a, const double *b, unsigned int dims)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < dims; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

static const double *point(const struct phases_points *points, size_t i)
{
	return &points->v[i * points->dims];
}

static bool alloc_clusters(struct phases_clusters *c, size_t nr, unsigned int dims)
{
	c->labels = calloc(nr, sizeof(*c->labels));
	c->squares = calloc(nr, sizeof(*c->squares));
	c->centers = calloc((size_t)PHASES_MAX_CLUSTERS * dims, sizeof(*c->centers));
	return c->labels && c->squares && c->centers;
}

static void copy_clusters(struct phases_clusters *to, const struct phases_clusters *from,
			  const struct phases_points *points)
{
	to->k = from->k;
	memcpy(to->labels, from->labels, points->nr * sizeof(*to->labels));
	memcpy(to->squares, from->squares, points->nr * sizeof(*to->squares));
	memcpy(to->centers, from->centers,
	       (size_t)from->k * points->dims * sizeof(*to->centers));
}

static double sum_of(const double *v, size_t nr)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		sum += v[i];
	return sum;
}

/* --- k-means --- */

/* A point, with a probability in proportion to its square. */
static size_t draw(const double *squares, size_t nr, uint64_t *state)
{
	double left = random_unit(random_next(state)) * sum_of(squares, nr);
	size_t i;

	for (i = 0; i + 1 < nr; i++) {
		left -= squares[i];
		if (left < 0)
			break;
	}
	return i;
}

static void put_center(struct phases_clusters *c, const struct phases_points *points,
		       unsigned int number, size_t which)
{
	size_t i;

	memcpy(&c->centers[(size_t)number * points->dims], point(points, which),
	       points->dims * sizeof(*c->centers));
	for (i = 0; i < points->nr; i++) {
		double square = square_distance(point(points, i), point(points, which),
						points->dims);

		if (!number || square < c->squares[i])
			c->squares[i] = square;
	}
}

static void start(struct phases_clusters *c, const struct phases_points *points,
		  unsigned int k, uint64_t *state)
{
	unsigned int i;

	c->k = k;
	put_center(c, points, 0, random_below(state, points->nr));
	for (i = 1; i < k; i++)
		put_center(c, points, i, draw(c->squares, points->nr, state));
}

/* Returns whether the cluster of a point has changed. */
static bool assign(struct phases_clusters *c, const struct phases_points *points,
		   size_t i)
{
	uint32_t best = 0, before = c->labels[i], k;
	double square, least = INFINITY;

	for (k = 0; k < c->k; k++) {
		square = square_distance(point(points, i),
					 &c->centers[(size_t)k * points->dims],
					 points->dims);
		if (square < least) {
			least = square;
			best = k;
		}
	}
	c->labels[i] = best;
	c->squares[i] = least;
	return best != before;
}

/* A cluster without points keeps its center. */
static void move_centers(struct phases_clusters *c, const struct phases_points *points,
			 size_t *sizes)
{
	const unsigned int dims = points->dims;
	unsigned int d, k;
	size_t i;

	memset(sizes, 0, c->k * sizeof(*sizes));
	for (i = 0; i < points->nr; i++) {
		double *center = &c->centers[(size_t)c->labels[i] * dims];

		if (!sizes[c->labels[i]]++)
			memset(center, 0, dims * sizeof(*center));
		for (d = 0; d < dims; d++)
			center[d] += point(points, i)[d];
	}
	for (k = 0; k < c->k; k++)
		for (d = 0; sizes[k] && d < dims; d++)
			c->centers[(size_t)k * dims + d] /= (double)sizes[k];
}

/* From the centers that there are to those in the middle of their points. */
static void settle(struct phases_clusters *c, const struct phases_points *points,
		   size_t *sizes)
{
	unsigned int round;
	bool changed = true;
	size_t i;

	for (round = 0; changed && round < PHASES_ITERATIONS; round++) {
		changed = !round;
		for (i = 0; i < points->nr; i++)
			changed |= assign(c, points, i);
		move_centers(c, points, sizes);
	}
	/* The distances from where the centers are now. */
	for (i = 0; i < points->nr; i++)
		c->squares[i] = square_distance(point(points, i),
						&c->centers[(size_t)c->labels[i] * points->dims],
						points->dims);
}

/* Leave out clusters without points, and number the others by their first points. */
static void renumber(struct phases_clusters *c, const struct phases_points *points)
{
	const unsigned int dims = points->dims;
	uint32_t numbers[PHASES_MAX_CLUSTERS];
	double centers[PHASES_MAX_CLUSTERS];
	unsigned int d, k, nr = 0;
	size_t i;

	memset(numbers, 0xff, sizeof(numbers));
	for (i = 0; i < points->nr; i++) {
		if (numbers[c->labels[i]] == UINT32_MAX)
			numbers[c->labels[i]] = nr++;
		c->labels[i] = numbers[c->labels[i]];
	}
	/* Dimension by dimension, which needs little room. */
	for (d = 0; d < dims; d++) {
		for (k = 0; k < c->k; k++)
			if (numbers[k] != UINT32_MAX)
				centers[numbers[k]] = c->centers[(size_t)k * dims + d];
		for (k = 0; k < nr; k++)
			c->centers[(size_t)k * dims + d] = centers[k];
	}
	c->k = nr;
}

/* --- how many --- */

/* The Bayesian information criterion: more is better. sizes are those of the clusters. */
static double score(const struct phases_clusters *c, const struct phases_points *points,
		    const size_t *sizes)
{
	const double nr = (double)points->nr, dims = points->dims;
	const double parameters = c->k * (dims + 1);
	const double free_points = points->nr > c->k ? nr - c->k : 1;
	double variance = sum_of(c->squares, points->nr) / free_points / dims;
	double sum = 0;
	unsigned int k;

	if (variance < SAME * SAME)
		variance = SAME * SAME;
	for (k = 0; k < c->k; k++)
		if (sizes[k])
			sum += (double)sizes[k] * log((double)sizes[k] / nr);
	return sum - nr * dims / 2 * log(2 * M_PI * variance) -
	       free_points * dims / 2 - parameters / 2 * log(nr);
}

/* Leave in tries->best the best of some starts with k clusters. */
static void try_k(struct tries *tries, unsigned int k, uint64_t seed)
{
	const struct phases_points *points = tries->points;
	double sum, least = INFINITY;
	uint64_t state = seed + k;
	unsigned int i;

	for (i = 0; i < PHASES_RESTARTS; i++) {
		start(&tries->now, points, k, &state);
		settle(&tries->now, points, tries->sizes);
		sum = sum_of(tries->now.squares, points->nr);
		if (sum >= least)
			continue;
		least = sum;
		copy_clusters(&tries->best, &tries->now, points);
		tries->score = score(&tries->now, points, tries->sizes);
	}
}

static unsigned int choose_k(struct tries *tries, unsigned int max_k, uint64_t seed)
{
	double scores[PHASES_MAX_CLUSTERS], worst = INFINITY, best = -INFINITY;
	unsigned int k;

	for (k = 0; k < max_k; k++) {
		try_k(tries, k + 1, seed);
		scores[k] = tries->score;
		worst = fmin(worst, scores[k]);
		best = fmax(best, scores[k]);
	}
	for (k = 0; scores[k] < worst + 0.9 * (best - worst);)
		k++;
	return k + 1;
}

/* --- all --- */

/* Points at equal distances. The caller frees v. */
static bool take_sample(struct phases_points *sample, const struct phases_points *points)
{
	const size_t size = points->dims * sizeof(double);
	double *v;
	size_t i;

	*sample = *points;
	if (sample->nr > PHASES_SAMPLE)
		sample->nr = PHASES_SAMPLE;
	sample->v = v = malloc(sample->nr * size);
	for (i = 0; v && i < sample->nr; i++)
		memcpy(&v[i * points->dims],
		       point(points, i * points->nr / sample->nr), size);
	return v;
}

static void find(struct phases_clusters *clusters, struct tries *tries,
		 const struct phases_points *points, unsigned int k,
		 unsigned int max_k, uint64_t seed)
{
	if (!k)
		k = choose_k(tries, max_k < tries->points->nr ?
					    max_k : (unsigned int)tries->points->nr, seed);
	if (k > tries->points->nr)
		k = (unsigned int)tries->points->nr;
	try_k(tries, k, seed);
	clusters->k = tries->best.k;
	memcpy(clusters->centers, tries->best.centers,
	       (size_t)clusters->k * points->dims * sizeof(*clusters->centers));
	settle(clusters, points, tries->sizes);
	renumber(clusters, points);
}

int phases_cluster(struct phases_clusters *clusters,
		   const struct phases_points *points, unsigned int k,
		   unsigned int max_k, uint64_t seed, struct error *error)
{
	struct phases_points sample = { 0 };
	struct tries tries = { .points = &sample };
	bool ok;

	*clusters = (struct phases_clusters){ 0 };
	tries.sizes = calloc(PHASES_MAX_CLUSTERS, sizeof(*tries.sizes));
	ok = tries.sizes && take_sample(&sample, points) &&
	     alloc_clusters(&tries.now, sample.nr, points->dims) &&
	     alloc_clusters(&tries.best, sample.nr, points->dims) &&
	     alloc_clusters(clusters, points->nr, points->dims);
	if (ok)
		find(clusters, &tries, points, k, max_k, random_mix(seed));
	phases_clusters_free(&tries.now);
	phases_clusters_free(&tries.best);
	free(tries.sizes);
	free((double *)sample.v);
	return ok ? 0 : error_nomem(error);
}

void phases_clusters_free(struct phases_clusters *clusters)
{
	free(clusters->labels);
	free(clusters->squares);
	free(clusters->centers);
}
