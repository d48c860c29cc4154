// SPDX-License-Identifier: GPL-2.0-only
#include "phases/plan.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { FOR_VARIANCE = 2 }; /* windows that tell one */

void phases_plan_stratify(struct windows_plan *plan,
			  const struct phases_clusters *clusters)
{
	double squares[PHASES_MAX_CLUSTERS] = { 0 };
	size_t i;

	plan->nr_strata = clusters->k;
	for (i = 0; i < plan->nr; i++) {
		plan->v[i].stratum = clusters->labels[i];
		squares[clusters->labels[i]] += clusters->squares[i];
	}
	windows_add_up(plan);
	for (i = 0; i < plan->nr_strata; i++)
		plan->strata[i].spread =
			sqrt(squares[i] / (double)plan->strata[i].intervals);
}

void phases_plan_represent(struct windows_plan *plan,
			   const struct phases_clusters *clusters)
{
	size_t nearest[PHASES_MAX_CLUSTERS], i;

	memset(nearest, 0xff, sizeof(nearest));
	for (i = 0; i < plan->nr; i++) {
		size_t *best = &nearest[plan->v[i].stratum];

		if (*best == SIZE_MAX ||
		    clusters->squares[i] < clusters->squares[*best])
			*best = i;
	}
	for (i = 0; i < plan->nr_strata; i++)
		plan->v[nearest[i]].chosen = true;
	plan->choice = WINDOWS_CHOICE_REPRESENTATIVE;
	windows_add_up(plan);
}

static bool all_are_zero(const double *v, unsigned int nr)
{
	while (nr--)
		if (v[nr])
			return false;
	return true;
}

unsigned int phases_plan_next(const struct windows_plan *plan, const uint64_t *windows,
			      const uint64_t *most, const double *spreads)
{
	const bool same = all_are_zero(spreads, plan->nr_strata);
	unsigned int i, best = plan->nr_strata;
	double gain, best_gain = -1;

	for (i = 0; i < plan->nr_strata; i++) {
		const double n = (double)windows[i];
		double part = (double)plan->strata[i].length * (same ? 1 : spreads[i]);

		if (windows[i] == most[i])
			continue;
		/* How much part^2 / n falls with one more. */
		gain = windows[i] < FOR_VARIANCE ? INFINITY :
						   part * part / (n * (n + 1));
		if (gain > best_gain) {
			best_gain = gain;
			best = i;
		}
	}
	return best;
}

void phases_plan_allocate(const struct windows_plan *plan, size_t windows,
			  bool by_length, uint64_t *wanted)
{
	double spreads[PHASES_MAX_CLUSTERS] = { 0 };
	uint64_t most[PHASES_MAX_CLUSTERS];
	size_t nr = plan->windows;
	unsigned int i;

	for (i = 0; i < plan->nr_strata; i++) {
		wanted[i] = plan->strata[i].windows;
		most[i] = plan->strata[i].intervals;
		if (!by_length)
			spreads[i] = plan->strata[i].spread;
	}
	for (; nr < windows; nr++) {
		i = phases_plan_next(plan, wanted, most, spreads);
		if (i == plan->nr_strata)
			break;
		wanted[i]++;
	}
}

/*
 * The intervals of a stratum that can be chosen, and how many of them are. They stand in a
 * circle, in the order of the run, which is cut at a random place into as many parts. One
 * of each part is chosen.
 */
struct draw {
	uint64_t all, wanted;
	uint64_t first; /* the one with which the first part begins */
	uint64_t seed;
	uint64_t next; /* the number of the next one in the order of the run */
};

/* Where a part begins in the circle. */
static uint64_t begin_of(const struct draw *d, uint64_t part)
{
	return (part * d->all + d->wanted - 1) / d->wanted;
}

static bool is_drawn(struct draw *d)
{
	uint64_t at, part, begin, state;

	if (!d->wanted)
		return false;
	at = (d->next++ + d->all - d->first) % d->all;
	/* The last part that does not begin behind it. */
	part = at * d->wanted / d->all;
	begin = begin_of(d, part);
	state = d->seed + part;
	return at == begin + random_below(&state, begin_of(d, part + 1) - begin);
}

void phases_plan_choose(struct windows_plan *plan, const uint64_t *wanted,
			uint64_t seed)
{
	struct draw draws[PHASES_MAX_CLUSTERS];
	/* Windows that are added have other random numbers than those before. */
	uint64_t state = random_mix(seed) ^ plan->windows;
	size_t i;

	for (i = 0; i < plan->nr_strata; i++) {
		const struct windows_stratum *s = &plan->strata[i];
		struct draw *d = &draws[i];

		*d = (struct draw){ .all = s->intervals - s->windows,
				    .wanted = wanted[i] - s->windows };
		d->first = d->wanted ? random_below(&state, d->all) : 0;
		d->seed = random_next(&state);
	}
	for (i = 0; i < plan->nr; i++)
		if (!plan->v[i].chosen)
			plan->v[i].chosen = is_drawn(&draws[plan->v[i].stratum]);
	plan->choice = WINDOWS_CHOICE_RANDOM;
	windows_add_up(plan);
}
