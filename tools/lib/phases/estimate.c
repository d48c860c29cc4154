// SPDX-License-Identifier: GPL-2.0-only
#include "phases/estimate.h"
#include "phases/pairs.h"
#include "phases/student.h"

#include <math.h>

/* Strata that are one for the variance. All sums are over their windows with values. */
struct group {
	uint64_t intervals;
	double length; /* of its intervals, as a share of the run */
	uint64_t windows;
	double mean;
	double variance; /* of the values of one window */
};

struct sums {
	const struct windows_plan *plan;
	const struct windows_value *values;
	/* By stratum: */
	uint64_t windows[PHASES_MAX_CLUSTERS];
	double length[PHASES_MAX_CLUSTERS]; /* of the windows with values */
	double total[PHASES_MAX_CLUSTERS]; /* of the values in them */
	unsigned int group_of[PHASES_MAX_CLUSTERS];
	struct group groups[PHASES_MAX_CLUSTERS];
	unsigned int nr_groups;
};

static double share_of(const struct windows_plan *plan, unsigned int stratum)
{
	return (double)plan->strata[stratum].length / (double)plan->length;
}

static void add_values(struct sums *s)
{
	size_t i;

	for (i = 0; i < s->plan->nr; i++) {
		const struct windows_interval *v = &s->plan->v[i];

		if (!s->values[i].known)
			continue;
		s->windows[v->stratum]++;
		s->length[v->stratum] += (double)v->length;
		s->total[v->stratum] += (double)v->length * s->values[i].mean;
	}
}

/* Do its windows tell the variance, or is nothing left to vary? */
static bool is_enough(const struct group *g)
{
	return g->windows > 1 || (g->windows && g->windows == g->intervals);
}

static void take_stratum(struct sums *s, struct group *g, unsigned int i)
{
	const double share = share_of(s->plan, i);

	g->intervals += s->plan->strata[i].intervals;
	g->windows += s->windows[i];
	g->length += share;
	/* The sum, for now, of the strata with values. */
	if (s->windows[i])
		g->mean += share * s->total[i] / s->length[i];
	s->group_of[i] = s->nr_groups;
}

/* Each group goes on until it has enough, and the last one ends with the last stratum. */
static void make_groups(struct sums *s)
{
	struct group g = { 0 };
	unsigned int i, k;

	for (i = 0; i < s->plan->nr_strata; i++) {
		take_stratum(s, &g, i);
		if (!is_enough(&g))
			continue;
		s->groups[s->nr_groups++] = g;
		g = (struct group){ 0 };
	}
	if (g.intervals && s->nr_groups) {
		struct group *last = &s->groups[s->nr_groups - 1];

		last->intervals += g.intervals;
		last->windows += g.windows;
		last->length += g.length;
		last->mean += g.mean;
		for (k = 0; k < s->plan->nr_strata; k++)
			if (s->group_of[k] == s->nr_groups)
				s->group_of[k]--;
	} else if (g.intervals) {
		s->groups[s->nr_groups++] = g;
	}
}

static void find_means(struct sums *s)
{
	double known[PHASES_MAX_CLUSTERS] = { 0 };
	unsigned int i;

	for (i = 0; i < s->plan->nr_strata; i++)
		if (s->windows[i])
			known[s->group_of[i]] += share_of(s->plan, i);
	for (i = 0; i < s->nr_groups; i++)
		s->groups[i].mean /= known[i];
}

static void find_variances(struct sums *s)
{
	double sizes[PHASES_MAX_CLUSTERS] = { 0 };
	unsigned int k;
	size_t i;

	for (k = 0; k < s->plan->nr_strata; k++)
		sizes[s->group_of[k]] += s->length[k];
	for (i = 0; i < s->plan->nr; i++) {
		struct group *g = &s->groups[s->group_of[s->plan->v[i].stratum]];
		double off;

		if (!s->values[i].known)
			continue;
		/* Of windows that are longer than others, the difference counts more. */
		off = (s->values[i].mean - g->mean) * (double)s->plan->v[i].length *
		      (double)g->windows / sizes[g - s->groups];
		g->variance += off * off;
	}
	for (k = 0; k < s->nr_groups; k++)
		if (s->groups[k].windows > 1)
			s->groups[k].variance /= (double)(s->groups[k].windows - 1);
}

static void sum_up(struct sums *s, const struct windows_plan *plan,
		   const struct windows_value *values)
{
	*s = (struct sums){ .plan = plan, .values = values };
	add_values(s);
	make_groups(s);
	find_means(s);
	find_variances(s);
}

/*
 * Half of the interval with these numbers of windows in the groups. The degrees of freedom
 * are those by Satterthwaite.
 */
static double half_of(const struct sums *s, const uint64_t *windows, double confidence,
		      double *freedom)
{
	double sum = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < s->nr_groups; i++) {
		const struct group *g = &s->groups[i];
		const double n = (double)windows[i];
		double part = g->length * g->length * g->variance / n *
			      (1 - n / (double)g->intervals);

		if (!(part > 0))
			continue;
		sum += part;
		squares += part * part / (n - 1);
	}
	*freedom = sum > 0 ? sum * sum / squares : INFINITY;
	return sum > 0 ? phases_student(confidence, *freedom) * sqrt(sum) : 0;
}

static size_t count_known(const struct sums *s)
{
	size_t sum = 0;
	unsigned int i;

	for (i = 0; i < s->plan->nr_strata; i++)
		sum += s->windows[i];
	return sum;
}

int phases_estimate(const struct windows_plan *plan, const struct windows_value *values,
		    double confidence, struct phases_estimate *e, struct error *error)
{
	uint64_t windows[PHASES_MAX_CLUSTERS];
	unsigned int i;
	struct sums s;

	if (plan->recorded)
		return phases_pairs_estimate(plan, values, confidence, e, error);
	sum_up(&s, plan, values);
	*e = (struct phases_estimate){ .windows = count_known(&s), .half = INFINITY };
	if (!e->windows)
		return error_set(error, ERROR_NOTHING, "no window has a value");
	e->missing = plan->windows - e->windows;
	e->joined = plan->nr_strata - s.nr_groups;
	for (i = 0; i < s.nr_groups; i++) {
		e->mean += s.groups[i].length * s.groups[i].mean;
		windows[i] = s.groups[i].windows;
	}
	if (plan->choice == WINDOWS_CHOICE_RANDOM && is_enough(&s.groups[s.nr_groups - 1]))
		e->half = half_of(&s, windows, confidence, &e->freedom);
	return 0;
}

void phases_estimate_needed(const struct windows_plan *plan,
			    const struct windows_value *values, double confidence,
			    double half, uint64_t *needed)
{
	uint64_t windows[PHASES_MAX_CLUSTERS] = { 0 };
	double spreads[PHASES_MAX_CLUSTERS], freedom;
	unsigned int i;
	struct sums s;

	sum_up(&s, plan, values);
	for (i = 0; i < plan->nr_strata; i++) {
		needed[i] = s.windows[i];
		spreads[i] = sqrt(s.groups[s.group_of[i]].variance);
		windows[s.group_of[i]] += needed[i];
	}
	while (half_of(&s, windows, confidence, &freedom) > half) {
		i = phases_plan_next(plan, needed, spreads);
		if (i == plan->nr_strata)
			break;
		needed[i]++;
		windows[s.group_of[i]]++;
	}
}
