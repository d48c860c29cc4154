// SPDX-License-Identifier: GPL-2.0-only
#include "phases/pairs.h"
#include "phases/student.h"

#include <math.h>
#include <stdlib.h>

/* A window with a value. */
struct point {
	uint32_t source, number;
	double weight, mean;
};

static int compare(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->source != q->source)
		return p->source < q->source ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* All windows, those of each source in the order of its run. NULL: out of memory. */
static struct point *sorted(const struct windows_plan *plan)
{
	struct point *points = calloc(plan->nr, sizeof(*points));
	size_t i;

	if (!points)
		return NULL;
	for (i = 0; i < plan->nr; i++) {
		points[i].source = plan->recorded[i].source;
		points[i].number = (uint32_t)i;
		points[i].weight = (double)plan->recorded[i].weight;
	}
	qsort(points, plan->nr, sizeof(*points), compare);
	return points;
}

/* Keep those with values, which get the weights of the others. Returns their number. */
static size_t keep_known(struct point *points, size_t nr, const struct windows_value *values,
			 int exponent)
{
	double waiting = 0;
	size_t i, known = 0;

	for (i = 0; i < nr; i++) {
		struct point p = points[i];

		if (i && points[i - 1].source != p.source)
			waiting = 0;
		if (values[p.number].known) {
			p.weight += waiting;
			p.mean = ldexp(values[p.number].mean, -exponent);
			waiting = 0;
			points[known++] = p;
		} else if (known && points[known - 1].source == p.source) {
			points[known - 1].weight += p.weight;
		} else {
			waiting += p.weight;
		}
	}
	return known;
}

/* Is there exactly one more window, of this source or of all? */
static bool leaves_one(const struct point *points, size_t nr, size_t i)
{
	if (i + 2 >= nr)
		return i + 2 == nr;
	return points[i].source == points[i + 1].source &&
	       points[i].source != points[i + 2].source;
}

struct sums {
	double variance; /* of the sum of weights times values */
	double squares; /* of the parts of it, each by its degrees of freedom */
};

static void add_group(struct sums *sums, const struct point *points, size_t nr)
{
	double mean = 0, weights = 0, off = 0, part;
	size_t i;

	for (i = 0; i < nr; i++)
		mean += points[i].mean / (double)nr;
	for (i = 0; i < nr; i++) {
		weights += points[i].weight * points[i].weight;
		off += (points[i].mean - mean) * (points[i].mean - mean);
	}
	part = weights * off / (double)(nr - 1);
	sums->variance += part;
	sums->squares += part * part / (double)(nr - 1);
}

static void add_up(struct phases_estimate *e, const struct point *points, double confidence)
{
	struct sums sums = { 0 };
	size_t i, begin = 0;
	double weight = 0;

	for (i = 0; i < e->windows; i++) {
		weight += points[i].weight;
		e->mean += points[i].weight * points[i].mean;
		if (i == begin || leaves_one(points, e->windows, i))
			continue;
		add_group(&sums, points + begin, i + 1 - begin);
		begin = i + 1;
	}
	e->mean /= weight;
	if (e->windows < 2)
		return;
	e->freedom = sums.squares > 0 ? sums.variance * sums.variance / sums.squares : INFINITY;
	e->half = sums.variance > 0 ? phases_student(confidence, e->freedom) *
					      sqrt(sums.variance) / weight :
				      0;
}

int phases_pairs_estimate(const struct windows_plan *plan,
			  const struct windows_value *values, int exponent, double confidence,
			  struct phases_estimate *e, struct error *error)
{
	struct point *points = sorted(plan);
	double weight = 0;
	size_t i;

	if (!points)
		return error_nomem(error);
	e->windows = keep_known(points, plan->nr, values, exponent);
	e->missing = plan->nr - e->windows;
	for (i = 0; i < e->windows; i++)
		weight += points[i].weight;
	if (weight > 0)
		add_up(e, points, confidence);
	free(points);
	return weight > 0 ? 0 : error_set(error, ERROR_NOTHING, "no window has a value");
}

uint64_t phases_pairs_needed(const struct phases_estimate *e, double half)
{
	const double times = e->half / half;
	const double needed = (double)e->windows * times * times;

	if (e->half <= half)
		return e->windows;
	return needed < 1e15 ? (uint64_t)ceil(needed) : UINT64_C(1000000000000000);
}
