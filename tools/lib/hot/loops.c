// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops, found in what ran: a graph of the places, in which control went from one
 * to the next in memory, or jumped.
 */
#include "hot/internal.h"

#include <stdlib.h>

enum mark {
	HEAD = 1, /* of a loop: a jump leads back to it */
	/* Of the loop at work: */
	REACHED = 2, /* from its head */
	BODY = 4, /* and leads back there */
};

struct graph {
	struct hot *hot;
	const struct hot_place *places;
	const struct hot_edge *edges;
	uint64_t *falls; /* how often control went on from a place to the next */
	uint64_t *entered; /* how often a function was entered at a place */
	uint8_t *marks; /* of places: enum mark */
	uint32_t *reached, nr_reached; /* a stack and a list */
};

static bool is_jump(const struct graph *g, const struct hot_edge *e)
{
	return e->followed && is_of(e->type, JUMPS) &&
	       is_within(g->hot, e->from, e->to);
}

/* Right behind the place before it, which is a call, as its return address is. */
static bool is_behind_call(const struct graph *g, uint32_t place)
{
	const struct hot_place *p = &g->places[place];

	return place && is_within(g->hot, place - 1, place) &&
	       p->offset - p[-1].offset <= 4 && p[-1].first < p->first &&
	       is_of(g->edges[p[-1].first].type, CALLS);
}

static void fill_graph(struct graph *g)
{
	const struct hot *hot = g->hot;
	uint64_t running = 0;
	size_t i;

	for (i = 0; i < hot->nr_places; i++)
		g->falls[i] = running += g->places[i].begun -
					 g->places[i].ended;
	for (i = 0; i < hot->nr_edges; i++) {
		const struct hot_edge *e = &g->edges[i];

		if (hot_enters(hot, e))
			g->entered[e->to] += e->followed;
		if (is_of(e->type, RETURNS) && is_behind_call(g, e->to))
			g->falls[e->to - 1] += e->followed;
		/* Every cycle has a jump back. */
		if (is_jump(g, e) && e->to <= e->from)
			g->marks[e->to] = HEAD;
	}
}

static void reach(struct graph *g, uint32_t place)
{
	if (g->marks[place] & REACHED)
		return;
	g->marks[place] |= REACHED;
	g->reached[g->nr_reached++] = place;
}

/* What can be reached from the head without code that lies before it. */
static void reach_all(struct graph *g, uint32_t head)
{
	uint32_t done;
	size_t i;

	g->nr_reached = 0;
	reach(g, head);
	for (done = 0; done < g->nr_reached; done++) {
		uint32_t at = g->reached[done];

		if (g->falls[at])
			reach(g, at + 1);
		for (i = g->places[at].first; i < g->places[at + 1].first; i++)
			if (is_jump(g, &g->edges[i]) && g->edges[i].to >= head)
				reach(g, g->edges[i].to);
	}
}

/* Does control go from a place into the body, or back to the head? */
static bool leads_back(const struct graph *g, uint32_t at, uint32_t head)
{
	size_t i;

	if (g->falls[at] && g->marks[at + 1] & BODY)
		return true;
	for (i = g->places[at].first; i < g->places[at + 1].first; i++) {
		uint32_t to = g->edges[i].to;

		if (is_jump(g, &g->edges[i]) &&
		    (to == head || g->marks[to] & BODY))
			return true;
	}
	return false;
}

/* The body: what was reached, and leads back to the head. */
static void find_body(struct graph *g, uint32_t head)
{
	bool more = true;

	reach_all(g, head);
	while (more) {
		uint32_t i;

		more = false;
		for (i = g->nr_reached; i--;) {
			uint32_t at = g->reached[i];

			if (g->marks[at] & BODY || !leads_back(g, at, head))
				continue;
			g->marks[at] |= BODY;
			more = true;
		}
	}
}

static void count_loop(const struct graph *g, struct hot_loop *l)
{
	uint32_t at, function = function_of(g->hot, l->head), first = l->head;
	size_t i;

	l->iterations = l->entries = g->entered[l->head];
	if (l->head && g->falls[l->head - 1])
		l->iterations += g->falls[l->head - 1];
	for (i = 0; i < g->nr_reached; i++) {
		at = g->reached[i];
		if (!(g->marks[at] & BODY))
			continue;
		if (at > l->last)
			l->last = at;
		if (at && !(g->marks[at - 1] & BODY))
			l->entries += g->falls[at - 1];
	}
	while (first && function_of(g->hot, first - 1) == function)
		first--;
	for (i = g->places[first].first; i < g->hot->nr_edges; i++) {
		const struct hot_edge *e = &g->edges[i];

		if (function_of(g->hot, e->from) != function)
			break;
		if (!is_jump(g, e) || !(g->marks[e->to] & BODY))
			continue;
		if (e->to == l->head)
			l->iterations += e->followed;
		if (!(g->marks[e->from] & BODY))
			l->entries += e->followed;
	}
}

static void add_loop(struct graph *g, uint32_t head)
{
	struct hot_loop *l = &g->hot->loops[g->hot->nr_loops];
	uint32_t i;

	find_body(g, head);
	if (g->marks[head] & BODY) {
		*l = (struct hot_loop){ .head = head };
		count_loop(g, l);
		g->hot->nr_loops++;
	}
	for (i = 0; i < g->nr_reached; i++)
		g->marks[g->reached[i]] &= HEAD;
}

bool hot_find_loops(struct hot *hot)
{
	const size_t nr = hot->nr_places + 1;
	struct graph g = { .hot = hot, .places = hot->places,
			   .edges = hot->edges };
	uint32_t head;
	bool done;

	g.falls = calloc(nr, sizeof(*g.falls));
	g.entered = calloc(nr, sizeof(*g.entered));
	g.marks = calloc(nr, sizeof(*g.marks));
	g.reached = malloc(nr * sizeof(*g.reached));
	hot->loops = malloc(nr * sizeof(*hot->loops));
	done = g.falls && g.entered && g.marks && g.reached && hot->loops;
	if (done) {
		fill_graph(&g);
		for (head = 0; head < hot->nr_places; head++)
			if (g.marks[head] & HEAD)
				add_loop(&g, head);
	}
	free(g.falls);
	free(g.entered);
	free(g.marks);
	free(g.reached);
	return done;
}
