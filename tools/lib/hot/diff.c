// SPDX-License-Identifier: GPL-2.0-only
#include "hot/diff.h"
#include "hot/internal.h"
#include "hot/twins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a normal distribution, one case of a thousand is further out. */
#define SIGMAS 3.29

/* What makes something the same in both recordings; of several the first ones are, and so on. */
struct key {
	uint32_t function; /* by struct hot_twins */
	const char *file; /* the last part of its path; "": the place is an offset */
	uint64_t place; /* a line, or an offset */
	uint64_t offset; /* the order of those that are alike */
	uint32_t number;
};

struct keys {
	struct key *v;
	size_t nr;
};

/* One of the recordings. */
struct side {
	const struct hot *hot, *other;
	const uint32_t *twins, *other_twins;
	const struct pd_dso *dso; /* asked for last */
	bool same_build;
	uint32_t function; /* asked for last */
	bool other_build;
};

/* NULL: the function is in no file. */
static const struct pd_dso *dso_of(const struct hot *hot, uint32_t function)
{
	return hot->places[hot->functions[function].first].at.dso;
}

/* Is the binary in the other recording, in the same build? */
static bool find_build(const struct pd_dso *dso, const struct hot *other)
{
	size_t i;

	if (!dso || !dso->build_id_size)
		return false;
	for (i = 0; i < other->nr_functions; i++) {
		const struct pd_dso *its = dso_of(other, i);

		if (its && its->build_id_size == dso->build_id_size &&
		    !memcmp(its->build_id, dso->build_id, dso->build_id_size))
			return true;
	}
	return false;
}

static bool is_same_build(struct side *side, const struct pd_dso *dso)
{
	if (dso != side->dso)
		side->same_build = find_build(dso, side->other);
	side->dso = dso;
	return side->same_build;
}

/* Are two builds of a binary as a whole compared, because its functions have no names? */
static bool find_other_build(struct side *side, uint32_t function)
{
	const struct pd_dso *own = dso_of(side->hot, function), *its = NULL;
	uint32_t i;

	if (side->hot->functions[function].known || !own || !own->build_id_size ||
	    is_same_build(side, own))
		return false;
	for (i = 0; i < side->other->nr_functions && !its; i++)
		if (side->other_twins[i] == side->twins[function])
			its = dso_of(side->other, i);
	return its && its->build_id_size;
}

static bool is_of_other_build(struct side *side, uint32_t function)
{
	if (function != side->function)
		side->other_build = find_other_build(side, function);
	side->function = function;
	return side->other_build;
}

static int by_same(const struct key *a, const struct key *b)
{
	int ret;

	BY(function);
	ret = strcmp(a->file, b->file);
	if (ret)
		return ret;
	BY(place);
	return 0;
}

static int by_key(const void *va, const void *vb)
{
	const struct key *a = va, *b = vb;
	const int ret = by_same(a, b);

	if (ret)
		return ret;
	BY(offset);
	BY(number);
	return 0;
}

/* False: it cannot be compared. */
static bool place_key(struct side *side, uint32_t place, struct key *key)
{
	const struct hot *hot = side->hot;
	const struct hot_place *p = &hot->places[place];
	unsigned int line;
	const char *path;

	*key = (struct key){ .function = side->twins[p->function], .file = "",
			     .offset = p->offset, .place = p->offset };
	if (!is_same_build(side, p->at.dso) &&
	    path_code_line(hot->code, &p->at, &path, &line)) {
		key->file = basename(path);
		key->place = line;
		return true;
	}
	return !is_of_other_build(side, p->function);
}

static size_t count(unsigned int which, const struct hot *hot)
{
	return which == HOT_DIFF_FUNCTIONS ? hot->lists[HOT_FUNCTIONS].nr :
	       which == HOT_DIFF_LOOPS	   ? hot->nr_loops :
					     hot->nr_branches;
}

uint32_t hot_diff_place(unsigned int which, const struct hot *hot, uint32_t number)
{
	return which == HOT_DIFF_LOOPS ? hot->loops[number].head :
					 hot->edges[hot->branches[number].edge].from;
}

/* False: it cannot be compared. */
static bool key_of(unsigned int which, struct side *side, size_t number, struct key *key)
{
	if (which != HOT_DIFF_FUNCTIONS)
		return place_key(side, hot_diff_place(which, side->hot, number), key);
	*key = (struct key){ .function = side->twins[number], .file = "" };
	return true;
}

/* The caller frees keys->v. False: out of memory. */
static bool make_keys(unsigned int which, struct side *side, struct keys *keys,
		      struct hot_diff *diff)
{
	const struct hot *hot = side->hot;
	const size_t nr = count(which, hot);
	size_t i, number;

	keys->v = malloc((nr + 1) * sizeof(*keys->v));
	if (!keys->v)
		return false;
	for (i = 0; i < nr; i++) {
		number = which == HOT_DIFF_FUNCTIONS ? hot->lists[HOT_FUNCTIONS].v[i].number : i;
		if (key_of(which, side, number, &keys->v[keys->nr])) {
			keys->v[keys->nr++].number = number;
			continue;
		}
		diff->left_out[which]++;
		diff->other_build = hot->functions[side->function].binary;
	}
	qsort(keys->v, keys->nr, sizeof(*keys->v), by_key);
	return true;
}

/* --- what changed --- */

static bool has_range(const struct hot_trips *t)
{
	return t->known != HOT_NOTHING && t->known != HOT_MEAN;
}

bool hot_trips_differ(const struct hot_trips *a, const struct hot_trips *b)
{
	return has_range(a) && has_range(b) && (a->high < b->low || b->high < a->low);
}

/*
 * The variance of a share, of nr samples. All of a sample is of one place and time, so it
 * counts as one: that is too much if anything.
 */
static double variance(double share, double nr)
{
	/* What was never seen may have been missed. */
	const double p = fmin(fmax(share, 1 / (nr + 2)), 1 - 1 / (nr + 2));

	return p * (1 - p) / nr;
}

static bool is_beyond(double was, double old_nr, double is, double now_nr)
{
	const double sigma = sqrt(variance(was, old_nr) + variance(is, now_nr));

	return fabs(is - was) > SIGMAS * sigma;
}

static double branch_runs(const struct hot *hot, uint32_t branch)
{
	const struct hot_branch *b = &hot->branches[branch];

	return (double)(b->taken + b->passed);
}

/* Of a branch: as many as saw it, which are not more than there are samples. */
static double seen_by(const struct hot *hot, uint32_t branch)
{
	const double seen = (double)hot_transfers(hot, branch_runs(hot, branch));

	return fmax(1, fmin(seen, (double)hot->samples));
}

static double share_of(unsigned int which, const struct hot *hot, uint32_t number)
{
	if (number == HOT_NOWHERE)
		return 0;
	if (which == HOT_DIFF_FUNCTIONS)
		return hot->functions[number].sum.share;
	if (which == HOT_DIFF_LOOPS)
		return hot->loops[number].share;
	return (double)hot->branches[number].taken / branch_runs(hot, number);
}

static struct hot_change compare(unsigned int which, const struct hot *old, uint32_t a,
				 const struct hot *now, uint32_t b)
{
	struct hot_change change = {
		.old = a, .now = b,
		.was = share_of(which, old, a), .is = share_of(which, now, b),
	};
	const bool both = a != HOT_NOWHERE && b != HOT_NOWHERE;

	if (which != HOT_DIFF_BRANCHES)
		change.beyond = is_beyond(change.was, old->samples, change.is, now->samples);
	else
		change.beyond = is_beyond(change.was, seen_by(old, a), change.is,
					  seen_by(now, b));
	if (which == HOT_DIFF_LOOPS && both)
		change.beyond |= hot_trips_differ(&old->loops[a].trips, &now->loops[b].trips);
	return change;
}

static int most_first(const void *va, const void *vb)
{
	const struct hot_change *a = va, *b = vb;
	const double change_a = fabs(a->is - a->was), change_b = fabs(b->is - b->was);

	if (a->beyond != b->beyond)
		return a->beyond ? -1 : 1;
	if (change_a != change_b)
		return change_a > change_b ? -1 : 1;
	BY(old);
	BY(now);
	return 0;
}

static bool join(unsigned int which, const struct hot *old, const struct keys *a,
		 const struct hot *now, const struct keys *b, struct hot_diff *diff)
{
	struct hot_change *v = malloc((a->nr + b->nr + 1) * sizeof(*v));
	size_t i = 0, k = 0, nr = 0;
	int order;

	diff->v[which] = v;
	while (v && (i < a->nr || k < b->nr)) {
		order = i == a->nr ? 1 : k == b->nr ? -1 : by_same(&a->v[i], &b->v[k]);
		/* What did not run has a share of 0, but no probability. */
		if (!order || which != HOT_DIFF_BRANCHES)
			v[nr++] = compare(which, old, order <= 0 ? a->v[i].number : HOT_NOWHERE,
					  now, order >= 0 ? b->v[k].number : HOT_NOWHERE);
		i += order <= 0;
		k += order >= 0;
	}
	if (!v)
		return false;
	qsort(v, nr, sizeof(*v), most_first);
	diff->nr[which] = nr;
	for (i = 0; i < nr; i++)
		diff->beyond[which] += v[i].beyond;
	return true;
}

/* --- what cannot be compared --- */

struct part {
	const char *binary;
	double share;
	bool is_there; /* the other recording has this function, or it is in no file */
};

static int by_binary(const void *va, const void *vb)
{
	const struct part *a = va, *b = vb;

	return strcmp(a->binary, b->binary);
}

static bool find_alone(const struct side *side, uint32_t nr_twins, struct hot_alone *alone)
{
	const struct hot *hot = side->hot;
	struct part *v = malloc((hot->nr_functions + 1) * sizeof(*v));
	bool *there = calloc(nr_twins + 1, sizeof(*there));
	const bool ok = v && there;
	const size_t nr = ok ? hot->nr_functions : 0;
	size_t i, k;

	*alone = (struct hot_alone){ 0 };
	for (i = 0; ok && i < side->other->nr_functions; i++)
		there[side->other_twins[i]] = true;
	for (i = 0; i < nr; i++)
		v[i] = (struct part){ hot->functions[i].binary, hot->functions[i].share,
				      there[side->twins[i]] || !dso_of(hot, i) };
	if (nr)
		qsort(v, nr, sizeof(*v), by_binary);
	for (i = 0; i < nr; i = k) {
		for (k = i + 1; k < nr && !by_binary(&v[i], &v[k]); k++) {
			v[i].share += v[k].share;
			v[i].is_there |= v[k].is_there;
		}
		if (!v[i].is_there && v[i].share > alone->share)
			*alone = (struct hot_alone){ v[i].binary, v[i].share };
	}
	free(there);
	free(v);
	return ok;
}

bool hot_diff(const struct hot *old, const struct hot *now, struct hot_diff *diff)
{
	struct hot_twins twins;
	unsigned int i;
	bool ok = hot_find_twins(old, now, &twins);

	struct side sides[] = {
		{ old, now, twins.v[0], twins.v[1], .function = HOT_NOWHERE },
		{ now, old, twins.v[1], twins.v[0], .function = HOT_NOWHERE },
	};

	*diff = (struct hot_diff){ 0 };
	for (i = 0; i < 2 && ok; i++)
		ok = find_alone(&sides[i], twins.nr, &diff->alone[i]);
	for (i = 0; i < HOT_NR_DIFFS && ok; i++) {
		struct keys a = { 0 }, b = { 0 };

		ok = make_keys(i, &sides[0], &a, diff) && make_keys(i, &sides[1], &b, diff);
		ok = ok && join(i, old, &a, now, &b, diff);
		free(a.v);
		free(b.v);
	}
	hot_twins_free(&twins);
	return ok;
}

void hot_diff_free(struct hot_diff *diff)
{
	unsigned int i;

	for (i = 0; i < HOT_NR_DIFFS; i++)
		free(diff->v[i]);
}
