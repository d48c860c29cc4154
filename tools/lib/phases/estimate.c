// SPDX-License-Identifier: GPL-2.0-only
#include "phases/estimate.h"
#include "phases/pairs.h"
#include "phases/student.h"

#include <math.h>
#include <string.h>

/* A group's own variance counts as much as that of all groups if it has so many freedoms. */
enum { OWN_ENOUGH = 30 };

/* One of five random numbers with a normal distribution is below minus this. */
#define ONE_OF_FIVE 0.841621

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
	int exponent; /* means and variances are of values that are divided by 2 to this */
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

/* Of the largest value. Squares of what is divided by 2 to it are in the range of doubles. */
static int exponent_of(const struct windows_plan *plan, const struct windows_value *values)
{
	double most = 0;
	int exponent;
	size_t i;

	for (i = 0; i < plan->nr; i++)
		if (values[i].known)
			most = fmax(most, fabs(values[i].mean));
	frexp(most, &exponent);
	return exponent;
}

static double value_of(const struct sums *s, size_t i)
{
	return ldexp(s->values[i].mean, -s->exponent);
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
		s->total[v->stratum] += (double)v->length * value_of(s, i);
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

/* The last group becomes a part of the one before it. */
static void join_last(struct sums *s)
{
	const struct group *last = &s->groups[--s->nr_groups];
	struct group *g = &s->groups[s->nr_groups - 1];
	unsigned int i;

	g->intervals += last->intervals;
	g->windows += last->windows;
	g->length += last->length;
	g->mean += last->mean;
	for (i = 0; i < s->plan->nr_strata; i++)
		if (s->group_of[i] == s->nr_groups)
			s->group_of[i]--;
}

/* Each group goes on until it has enough. What is left goes to the ones before. */
static void make_groups(struct sums *s)
{
	struct group g = { 0 };
	unsigned int i;

	for (i = 0; i < s->plan->nr_strata; i++) {
		take_stratum(s, &g, i);
		if (!is_enough(&g))
			continue;
		s->groups[s->nr_groups++] = g;
		g = (struct group){ 0 };
	}
	if (g.intervals)
		s->groups[s->nr_groups++] = g;
	while (s->nr_groups > 1 && !is_enough(&s->groups[s->nr_groups - 1]))
		join_last(s);
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
		off = (value_of(s, i) - g->mean) * (double)s->plan->v[i].length *
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
	*s = (struct sums){ .plan = plan, .values = values,
			    .exponent = exponent_of(plan, values) };
	add_values(s);
	make_groups(s);
	find_means(s);
	find_variances(s);
}

/* By group: what its strata are of the run, all of them and those with windows. */
struct lengths {
	double all[PHASES_MAX_CLUSTERS];
	double known[PHASES_MAX_CLUSTERS];
};

static void add_lengths(struct lengths *l, const struct sums *s, const uint64_t *windows)
{
	unsigned int i;

	*l = (struct lengths){ 0 };
	for (i = 0; i < s->plan->nr_strata; i++) {
		l->all[s->group_of[i]] += share_of(s->plan, i);
		if (windows[i])
			l->known[s->group_of[i]] += share_of(s->plan, i);
	}
}

/*
 * What a window of a stratum varies counts by the square of what it stands for: a stratum
 * that is most of the run and has one window is not made certain by many windows in
 * others. `times` is more than 1 if it stands for strata without windows, too.
 */
static double part_of(const struct sums *s, unsigned int i, uint64_t windows, double times)
{
	const double share = share_of(s->plan, i) * times;
	const double n = (double)windows;

	return share * share / n * (1 - n / ((double)s->plan->strata[i].intervals * times));
}

/* The variance of the mean, and its degrees of freedom by Satterthwaite. */
struct spread {
	double variance, freedom;
};

/* With these numbers of windows in the strata. */
static struct spread spread_of(const struct sums *s, const uint64_t *windows)
{
	double parts[PHASES_MAX_CLUSTERS] = { 0 }, sum = 0, squares = 0;
	uint64_t nr[PHASES_MAX_CLUSTERS] = { 0 };
	struct lengths l;
	unsigned int i, g;

	add_lengths(&l, s, windows);
	for (i = 0; i < s->plan->nr_strata; i++) {
		g = s->group_of[i];
		nr[g] += windows[i];
		if (windows[i])
			parts[g] += part_of(s, i, windows[i], l.all[g] / l.known[g]);
	}
	for (g = 0; g < s->nr_groups; g++) {
		const double part = parts[g] * s->groups[g].variance;

		if (!(part > 0))
			continue;
		sum += part;
		squares += part * part / (double)(nr[g] - 1);
	}
	return (struct spread){ sum, sum > 0 ? sum * sum / squares : INFINITY };
}

/* Is half of the interval more than this? Much quicker than to compute it. */
static bool is_wider(struct spread spread, double confidence, double half)
{
	return spread.variance > 0 &&
	       phases_student_outside(half / sqrt(spread.variance), spread.freedom) >
		       1 - confidence;
}

static size_t count_known(const struct sums *s)
{
	size_t sum = 0;
	unsigned int i;

	for (i = 0; i < s->plan->nr_strata; i++)
		sum += s->windows[i];
	return sum;
}

static int estimate_strata(const struct windows_plan *plan,
			   const struct windows_value *values, double confidence,
			   struct phases_estimate *e, struct error *error)
{
	struct spread spread;
	unsigned int i;
	struct sums s;

	sum_up(&s, plan, values);
	e->windows = count_known(&s);
	if (!e->windows)
		return error_set(error, ERROR_NOTHING, "no window has a value");
	e->missing = plan->windows - e->windows;
	e->joined = plan->nr_strata - s.nr_groups;
	for (i = 0; i < s.nr_groups; i++)
		e->mean += s.groups[i].length * s.groups[i].mean;
	if (plan->choice != WINDOWS_CHOICE_RANDOM || !is_enough(&s.groups[s.nr_groups - 1]))
		return 0;
	spread = spread_of(&s, s.windows);
	e->freedom = spread.freedom;
	e->half = spread.variance > 0 ? phases_student(confidence, spread.freedom) *
						sqrt(spread.variance) :
					0;
	return 0;
}

/* The estimate is of values divided by 2 to the exponent. */
static int scale_back(struct phases_estimate *e, const struct windows_plan *plan, int exponent,
		      struct error *error)
{
	const bool known = !isinf(e->half);

	e->mean = ldexp(e->mean, exponent);
	e->half = ldexp(e->half, exponent);
	if (isfinite((fabs(e->mean) + (known ? e->half : 0)) * (double)plan->length))
		return 0;
	return error_set(error, ERROR_INPUT,
			 "the values are too large to add them up for the whole run; give them in a larger unit");
}

int phases_estimate(const struct windows_plan *plan, const struct windows_value *values,
		    double confidence, struct phases_estimate *e, struct error *error)
{
	const int exponent = exponent_of(plan, values);
	int ret;

	*e = (struct phases_estimate){ .half = INFINITY };
	ret = plan->recorded ?
		      phases_pairs_estimate(plan, values, exponent, confidence, e, error) :
		      estimate_strata(plan, values, confidence, e, error);
	return ret ? ret : scale_back(e, plan, exponent, error);
}

/*
 * How small a variance with these degrees of freedom comes out in one of five cases, as a
 * share of the true one: the quantile of chi-square, by Wilson and Hilferty.
 */
static double least_share(double freedom)
{
	const double part = 2 / (9 * freedom);

	return pow(1 - part - ONE_OF_FIVE * sqrt(part), 3);
}

/*
 * From the variances of the values to those with which to plan. Few windows that happen to
 * agree do not show that their group varies little. It would get no more of them, and its
 * variance would stay too small in the next estimate. So a group is assumed to vary nearly
 * as the mean of all, unless it has many windows. And the mean of all may be too small
 * itself: it is taken so large that it is too small in one of five cases only. Its degrees
 * of freedom are those of Satterthwaite in Welch's form, as those of groups with two
 * windows vary too much without his 2.
 */
static void expect_variances(struct sums *s)
{
	double length = 0, sum = 0, squares = 0, mean, more;
	struct group *g;

	for (g = s->groups; g < s->groups + s->nr_groups; g++) {
		const double part = g->length * g->variance;

		if (g->windows < 2)
			continue;
		length += g->length;
		sum += part;
		squares += part * part / (double)(g->windows + 1);
	}
	mean = sum / length;
	more = 1 / least_share(sum * sum / squares - 2);
	for (g = s->groups; g < s->groups + s->nr_groups; g++) {
		const double own = (double)(g->windows - 1);

		g->variance = more * (own * g->variance + OWN_ENOUGH * mean) / (own + OWN_ENOUGH);
	}
}

bool phases_estimate_needed(const struct windows_plan *plan,
			    const struct windows_value *values, double confidence,
			    double half, uint64_t *needed)
{
	uint64_t most[PHASES_MAX_CLUSTERS];
	double spreads[PHASES_MAX_CLUSTERS];
	unsigned int i;
	struct sums s;

	sum_up(&s, plan, values);
	half = ldexp(half, -s.exponent);
	memcpy(needed, s.windows, plan->nr_strata * sizeof(*needed));
	if (!is_wider(spread_of(&s, needed), confidence, half))
		return true;
	expect_variances(&s);
	for (i = 0; i < plan->nr_strata; i++) {
		most[i] = s.windows[i] + plan->strata[i].intervals - plan->strata[i].windows;
		spreads[i] = sqrt(s.groups[s.group_of[i]].variance);
	}
	while (is_wider(spread_of(&s, needed), confidence, half)) {
		i = phases_plan_next(plan, needed, most, spreads);
		if (i == plan->nr_strata)
			return false;
		needed[i]++;
	}
	return true;
}
