// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conditional branches. Records tell of those that were taken; of the others the
 * straight lines do that went on behind them.
 */
#include "hot/internal.h"

#include <stdlib.h>

bool hot_count_passed(struct hot *hot)
{
	uint64_t running = 0;
	size_t i;

	hot->passed = calloc(hot->nr_places + 1, sizeof(*hot->passed));
	if (!hot->passed)
		return false;
	for (i = 0; i < hot->nr_edges; i++) {
		const struct hot_edge *e = &hot->edges[i];
		const uint32_t end = hot->steps[i].end;

		if (end == HOT_NO_PLACE || end < e->to)
			continue;
		hot->passed[e->to] += e->count;
		hot->passed[end] -= e->count;
	}
	for (i = 0; i < hot->nr_places; i++)
		hot->passed[i] = running += hot->passed[i];
	return true;
}

static void add_branch(struct hot *hot, uint32_t from)
{
	struct hot_branch *b = &hot->branches[hot->nr_branches];
	const struct hot_place *p = &hot->places[from];
	const struct hot_edge *most = NULL, *e;

	*b = (struct hot_branch){ .passed = hot->passed[from] };
	for (e = hot->edges + p->first; e < hot->edges + p[1].first; e++) {
		if (e->type != PERF_BR_COND)
			continue;
		/* As the lines are, which the youngest of a stack has none of. */
		b->taken += e->followed;
		b->mispredicted += e->followed_missed;
		if (!most || e->count > most->count)
			most = e;
	}
	if (!b->taken)
		return;
	b->edge = most - hot->edges;
	b->hard = b->taken < b->passed ? b->taken : b->passed;
	if (hot->has_predictions)
		b->hard = b->mispredicted;
	hot->nr_branches++;
}

static int by_runs(const void *va, const void *vb)
{
	const struct hot_branch *a = va, *b = vb;
	const uint64_t runs_a = a->taken + a->passed,
		       runs_b = b->taken + b->passed;

	if (runs_a != runs_b)
		return runs_a > runs_b ? -1 : 1;
	BY(edge);
	return 0;
}

bool hot_find_branches(struct hot *hot)
{
	struct count_list *list = &hot->lists[HOT_BRANCHES];
	size_t i;

	hot->branches = malloc((hot->nr_places + 1) * sizeof(*hot->branches));
	list->v = malloc((hot->nr_places + 1) * sizeof(*list->v));
	if (!hot->branches || !list->v)
		return false;
	for (i = 0; i < hot->nr_places; i++)
		if (hot_has_address(hot, i))
			add_branch(hot, i);
	/* Of those that are as hard, the one that ran more often comes first. */
	qsort(hot->branches, hot->nr_branches, sizeof(*hot->branches), by_runs);
	for (i = 0; i < hot->nr_branches; i++) {
		list->v[i] = (struct count_ranked){ hot->branches[i].hard, i };
		list->sum += hot->branches[i].hard;
	}
	list->nr = hot->nr_branches;
	qsort(list->v, list->nr, sizeof(*list->v), count_most_first);
	return true;
}
