// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops, found in what ran: a graph of the places, in which control went from one
 * to the next in memory, or jumped.
 */
#include "hot_internal.h"

#include <stdlib.h>

struct graph {
	struct hot *hot;
	const struct tr_step *steps; /* by source */
	size_t *first; /* of a place's steps; one more at the end */
	uint64_t *falls; /* how often control went on from a place to the next */
	uint64_t *entered; /* how often a function was entered at a place */
	/* Of the loop at work: */
	uint32_t *reached, nr_reached; /* from its head, a stack and a list */
	uint32_t *mark; /* by place; see seen_by(): reached; one more: in it */
};

/* A place is marked by the number of the loop, from 1, that it was seen for. */
static uint32_t seen_by(size_t loop)
{
	return 2 * (loop + 1);
}

static bool in_body(const struct graph *g, uint32_t place, size_t loop)
{
	return g->mark[place] == seen_by(loop) + 1;
}

static bool is_jump(const struct graph *g, const struct tr_step *s)
{
	return s->end != TR_NONE && is_of(s->type, JUMPS) &&
	       is_within(g->hot, s->from, s->to);
}

static void free_graph(struct graph *g)
{
	free(g->first);
	free(g->falls);
	free(g->entered);
	free(g->reached);
	free(g->mark);
}

static bool new_graph(struct graph *g, struct hot *hot)
{
	size_t nr = hot->transfers->nr_places + 1;

	*g = (struct graph){ .hot = hot, .steps = hot->transfers->steps };
	g->first = calloc(nr, sizeof(*g->first));
	g->falls = calloc(nr, sizeof(*g->falls));
	g->entered = calloc(nr, sizeof(*g->entered));
	g->reached = malloc(nr * sizeof(*g->reached));
	g->mark = calloc(nr, sizeof(*g->mark));
	return g->first && g->falls && g->entered && g->reached && g->mark;
}

/* Right behind the place before it, which is a call, as its return address is. */
static bool is_behind_call(const struct graph *g, uint32_t place)
{
	const struct hot_place *p = &g->hot->places[place];
	const struct tr_step *call;

	if (!place || !is_within(g->hot, place - 1, place) ||
	    p->offset - p[-1].offset > 4 ||
	    g->first[place - 1] == g->first[place])
		return false;
	call = &g->steps[g->first[place - 1]];
	return is_of(call->type, CALLS);
}

static void fill_graph(struct graph *g)
{
	const struct transfers *t = g->hot->transfers;
	uint64_t running = 0;
	size_t i, k;

	for (i = k = 0; i < t->nr_places; i++) {
		g->first[i] = k;
		while (k < t->nr_steps && t->steps[k].from == i)
			k++;
	}
	g->first[i] = k;
	/* First where lines begin and end, then how many are under way. */
	for (i = 0; i < t->nr_steps; i++) {
		const struct tr_step *s = &t->steps[i];

		if (s->end == TR_NONE)
			continue;
		if (s->end > s->to && is_within(g->hot, s->to, s->end)) {
			g->falls[s->to] += s->count;
			g->falls[s->end] -= s->count;
		}
		if (hot_enters(g->hot, s->from, s->to, s->type))
			g->entered[s->to] += s->count;
	}
	for (i = 0; i < t->nr_places; i++)
		g->falls[i] = running += g->falls[i];
	for (i = 0; i < t->nr_steps; i++) {
		const struct tr_step *s = &t->steps[i];

		if (s->end != TR_NONE && is_of(s->type, RETURNS) &&
		    is_behind_call(g, s->to))
			g->falls[s->to - 1] += s->count;
	}
}

/* What can be reached from the head without code that lies before it. */
static void reach(struct graph *g, uint32_t head, size_t loop)
{
	uint32_t done, seen = seen_by(loop);
	size_t i;

	g->nr_reached = 1;
	g->reached[0] = head;
	g->mark[head] = seen;
	for (done = 0; done < g->nr_reached; done++) {
		uint32_t at = g->reached[done];

		if (g->falls[at] && g->mark[at + 1] != seen) {
			g->mark[at + 1] = seen;
			g->reached[g->nr_reached++] = at + 1;
		}
		for (i = g->first[at]; i < g->first[at + 1]; i++) {
			const struct tr_step *s = &g->steps[i];

			if (!is_jump(g, s) || s->to < head ||
			    g->mark[s->to] == seen)
				continue;
			g->mark[s->to] = seen;
			g->reached[g->nr_reached++] = s->to;
		}
	}
}

/* Does control go from a place into the body, or back to the head? */
static bool leads_back(const struct graph *g, uint32_t at, uint32_t head,
		       size_t loop)
{
	size_t i;

	if (g->falls[at] && in_body(g, at + 1, loop))
		return true;
	for (i = g->first[at]; i < g->first[at + 1]; i++) {
		const struct tr_step *s = &g->steps[i];

		if (is_jump(g, s) && (s->to == head || in_body(g, s->to, loop)))
			return true;
	}
	return false;
}

/* The body: what was reached, and leads back to the head. */
static void find_body(struct graph *g, uint32_t head, size_t loop)
{
	bool more = true;

	reach(g, head, loop);
	while (more) {
		uint32_t i;

		more = false;
		for (i = g->nr_reached; i--;) {
			uint32_t at = g->reached[i];

			if (in_body(g, at, loop) ||
			    !leads_back(g, at, head, loop))
				continue;
			g->mark[at]++;
			more = true;
		}
	}
}

static void count_loop(struct graph *g, struct hot_loop *l, size_t loop)
{
	uint32_t at, function = function_of(g->hot, l->head), first = l->head;
	size_t i;

	l->iterations = l->entries = g->entered[l->head];
	if (l->head && g->falls[l->head - 1])
		l->iterations += g->falls[l->head - 1];
	for (i = 0; i < g->nr_reached; i++) {
		at = g->reached[i];
		if (!in_body(g, at, loop))
			continue;
		if (at > l->last)
			l->last = at;
		if (at && !in_body(g, at - 1, loop))
			l->entries += g->falls[at - 1];
	}
	while (first && function_of(g->hot, first - 1) == function)
		first--;
	for (i = g->first[first]; i < g->hot->transfers->nr_steps; i++) {
		const struct tr_step *s = &g->steps[i];

		if (function_of(g->hot, s->from) != function)
			break;
		if (!is_jump(g, s) || !in_body(g, s->to, loop))
			continue;
		if (s->to == l->head)
			l->iterations += s->count;
		if (!in_body(g, s->from, loop))
			l->entries += s->count;
	}
}

static int by_count(const void *va, const void *vb)
{
	const struct hot_loop *a = va, *b = vb;

	if (a->iterations != b->iterations)
		return ORDER(b->iterations, a->iterations);
	return ORDER(a->head, b->head);
}

/* Every cycle has a jump back. Returns how many places there are such led to. */
static size_t find_heads(struct graph *g)
{
	const struct transfers *t = g->hot->transfers;
	size_t i, nr = 0;

	for (i = 0; i < t->nr_steps; i++) {
		const struct tr_step *s = &g->steps[i];

		if (!is_jump(g, s) || s->to > s->from || g->mark[s->to])
			continue;
		g->mark[s->to] = 1;
		g->hot->loops[nr++].head = s->to;
	}
	return nr;
}

bool hot_find_loops(struct hot *hot)
{
	size_t i, nr;
	struct graph g;
	bool done;

	hot->loops = calloc(hot->transfers->nr_places + 1, sizeof(*hot->loops));
	done = new_graph(&g, hot) && hot->loops;
	if (done) {
		fill_graph(&g);
		nr = find_heads(&g);
		for (i = 0; i < nr; i++) {
			struct hot_loop l = { .head = hot->loops[i].head };

			find_body(&g, l.head, i);
			if (!in_body(&g, l.head, i))
				continue;
			count_loop(&g, &l, i);
			hot->iterations += l.iterations;
			hot->loops[hot->nr_loops++] = l;
		}
		qsort(hot->loops, hot->nr_loops, sizeof(*hot->loops), by_count);
	}
	free_graph(&g);
	return done;
}
