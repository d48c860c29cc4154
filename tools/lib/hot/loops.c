// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops, found in what ran: a graph of the places, in which control went from one
 * to the next in memory, or jumped. A loop is a strongly connected part of a function's;
 * without its head it falls into those that are nested in it.
 *
 * Into the handlers of an interpreter, which jump to each other, control comes at many places.
 * All of these are heads. What is connected without them and has many heads itself is
 * a part of the same loop, and not another one.
 */
#include "hot/graph.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16 }; /* of loops in loops */

/* Right behind the place before it, which is a call, as its return address is. */
static bool is_behind_call(const struct graph *g, uint32_t place)
{
	const uint32_t before = g->before[place];
	const struct hot_place *p;

	if (before == HOT_NO_PLACE || !is_within(g->hot, before, place))
		return false;
	p = &g->places[before];
	return g->places[place].offset - p->offset <= 4 && p->first < p[1].first &&
	       is_of(g->edges[p->first].type, CALLS);
}

/* last: room for a place of each function. */
static void link_places(struct graph *g, uint32_t *last)
{
	const struct hot *hot = g->hot;
	uint32_t i;

	memset(last, 0xff, hot->nr_functions * sizeof(*last));
	for (i = 0; i < hot->nr_places; i++) {
		uint32_t *l = &last[function_of(hot, i)];

		g->before[i] = *l;
		g->next[i] = HOT_NO_PLACE;
		if (*l != HOT_NO_PLACE)
			g->next[*l] = i;
		*l = i;
	}
}

/* Each line ends in the function that it began in. */
static void fill_falls(struct graph *g, uint32_t function)
{
	uint64_t running = 0;
	uint32_t i;

	for (i = g->hot->functions[function].first; i != HOT_NO_PLACE; i = g->next[i])
		g->falls[i] = running += g->places[i].begun - g->places[i].ended;
}

static void fill_graph(struct graph *g)
{
	const struct hot *hot = g->hot;
	size_t i;

	for (i = 0; i < hot->nr_functions; i++)
		fill_falls(g, i);
	for (i = 0; i < hot->nr_places; i++)
		g->entered[i] = hot->places[i].fallen;
	for (i = 0; i < hot->nr_edges; i++) {
		const struct hot_edge *e = &g->edges[i];

		if (hot_enters(hot, e->type, e->from, e->to))
			g->entered[e->to] += e->followed;
		if (is_of(e->type, RETURNS) && is_behind_call(g, e->to))
			g->falls[g->before[e->to]] += e->followed;
	}
}

/* --- connected parts --- */

/* The next place of the same part that control went to; or HOT_NO_PLACE. */
static uint32_t next_of(const struct graph *g, uint32_t at)
{
	struct node *n = &g->nodes[at];
	const size_t first = g->places[at].first, nr = g->places[at + 1].first - first;
	uint32_t to;

	while (n->way <= nr) {
		const uint32_t way = n->way++;

		if (way ? !is_jump(g, &g->edges[first + way - 1]) : !g->falls[at])
			continue;
		to = way ? g->edges[first + way - 1].to : g->next[at];
		if (g->nodes[to].part == n->part)
			return to;
	}
	return HOT_NO_PLACE;
}

static void come_to(struct graph *g, uint32_t place)
{
	struct node *n = &g->nodes[place];

	n->index = n->low = ++g->nr_indices;
	n->way = 0;
	n->open = true;
	g->open[g->nr_open++] = place;
}

/* What was come to since this place, and leads back to it. */
static void close_part(struct graph *g, uint32_t place)
{
	uint32_t at = g->nr_open, leader = place, i;

	do {
		if (g->open[--at] < leader)
			leader = g->open[at];
	} while (g->open[at] != place);
	for (i = at; i < g->nr_open; i++) {
		g->nodes[g->open[i]].leader = leader;
		g->nodes[g->open[i]].open = false;
	}
	g->nr_open = at;
}

static void find_parts(struct graph *g, uint32_t start)
{
	uint32_t depth = 0, at, to;

	come_to(g, start);
	g->path[depth++] = start;
	while (depth) {
		struct node *n = &g->nodes[at = g->path[depth - 1]];

		to = next_of(g, at);
		if (to != HOT_NO_PLACE && !g->nodes[to].index) {
			come_to(g, to);
			g->path[depth++] = to;
		} else if (to != HOT_NO_PLACE) {
			if (g->nodes[to].open && g->nodes[to].index < n->low)
				n->low = g->nodes[to].index;
		} else {
			if (n->low == n->index)
				close_part(g, at);
			if (--depth && n->low < g->nodes[g->path[depth - 1]].low)
				g->nodes[g->path[depth - 1]].low = n->low;
		}
	}
}

/* --- loops --- */

static bool jumps_to_itself(const struct graph *g, uint32_t place)
{
	size_t i;

	for (i = g->places[place].first; i < g->places[place + 1].first; i++)
		if (is_jump(g, &g->edges[i]) && g->edges[i].to == place)
			return true;
	return false;
}

/*
 * How often control came to the places of a loop from outside. Whether an orphan is outside is
 * not known yet.
 */
static void count_come(struct graph *g, const uint32_t *body, uint32_t nr,
		       uint32_t loop)
{
	const uint32_t *in = g->hot->in_loop;
	uint32_t i, before;
	size_t k;

	for (i = 0; i < nr; i++) {
		before = g->before[body[i]];
		g->come[body[i]] = g->entered[body[i]];
		if (before != HOT_NO_PLACE && in[before] != loop && !(g->stray[before] & ORPHAN))
			g->come[body[i]] += g->falls[before];
		for (k = g->places[body[i]].into; k < g->places[body[i] + 1].into; k++) {
			const struct hot_edge *e = &g->edges[g->hot->into[k]];

			if (is_jump(g, e) && in[e->from] != loop && !(g->stray[e->from] & ORPHAN))
				g->come[body[i]] += e->followed;
		}
	}
}

/*
 * Where control comes to most often from outside. A loop that was never seen entered has its
 * first place: what leads there from within jumps back.
 */
static uint32_t find_head(const struct graph *g, const uint32_t *body, uint32_t nr)
{
	uint32_t i, head = body[0];

	for (i = 1; i < nr; i++)
		if (g->come[body[i]] > g->come[head])
			head = body[i];
	return head;
}

/* Is more than one entry in ten neither at the most frequent place nor at the second one? */
static bool has_many_heads(const struct graph *g, const uint32_t *body, uint32_t nr,
			   const struct hot_loop *l)
{
	uint64_t first = g->come[l->head], second = 0;
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (body[i] != l->head && g->come[body[i]] > second)
			second = g->come[body[i]];
	return l->entries - first - second > l->entries / 10;
}

/*
 * The heads of a loop: the place where control comes to it most often, or all places
 * where control comes to it, if these are many.
 */
static void set_heads(struct graph *g, const uint32_t *body, uint32_t nr,
		      struct hot_loop *l)
{
	uint32_t i;

	l->many_heads = has_many_heads(g, body, nr, l);
	for (i = 0; i < nr; i++)
		g->hot->is_head[body[i]] = l->many_heads ? g->come[body[i]] :
							   body[i] == l->head;
}

/*
 * How often the heads of a loop ran. Of many heads, those do not count that control falls
 * into from the one before: it is the same trip.
 */
static uint64_t count_visits(const struct graph *g, const uint32_t *body, uint32_t nr,
			     uint32_t loop)
{
	const struct hot *hot = g->hot;
	const bool many = hot->loops[loop].many_heads;
	uint64_t visits = 0;
	uint32_t i, before;
	size_t k;

	for (i = 0; i < nr; i++) {
		if (!hot->is_head[body[i]])
			continue;
		before = g->before[body[i]];
		visits += g->entered[body[i]];
		if (before != HOT_NO_PLACE && !(many && hot->in_loop[before] == loop))
			visits += g->falls[before];
		for (k = g->places[body[i]].into; k < g->places[body[i] + 1].into; k++) {
			const struct hot_edge *e = &g->edges[hot->into[k]];

			if (is_jump(g, e))
				visits += e->followed;
		}
	}
	return visits;
}

/* body: in order. Returns the loop, which is the innermost one of its places now. */
static const struct hot_loop *add_loop(struct graph *g, const uint32_t *body, uint32_t nr)
{
	struct hot *hot = g->hot;
	const uint32_t number = hot->nr_loops++, outer = hot->in_loop[body[0]];
	struct hot_loop *l = &hot->loops[number];
	uint32_t i;

	/* Those in it come after it. */
	for (i = 0; i < nr; i++)
		hot->in_loop[body[i]] = number;
	count_come(g, body, nr, number);
	*l = (struct hot_loop){
		.head = find_head(g, body, nr),
		.first = body[0], .last = body[nr - 1], .outer = outer,
		.depth = outer == HOT_NO_LOOP ? 0 : hot->loops[outer].depth + 1,
	};
	for (i = 0; i < nr; i++)
		l->entries += g->come[body[i]];
	set_heads(g, body, nr, l);
	l->iterations = count_visits(g, body, nr, number);
	return l;
}

/* A place of a connected part. */
struct member {
	uint32_t leader, place;
};

/* Take back the newest loop: what it has is a part of the one around it. */
static void remove_loop(struct graph *g, const struct member *members, uint32_t nr)
{
	struct hot *hot = g->hot;
	const uint32_t outer = hot->loops[--hot->nr_loops].outer;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		hot->in_loop[members[i].place] = outer;
		hot->is_head[members[i].place] = false;
	}
}

/* Of a loop of many heads: control does not come into it at a head of its own. */
static bool is_part_of_outer(const struct graph *g, const struct hot_loop *l)
{
	return l->outer != HOT_NO_LOOP && g->hot->loops[l->outer].many_heads &&
	       (l->many_heads || l->iterations < l->entries);
}

/* Puts the places of each part together. v: in order. */
static void group_parts(struct graph *g, const uint32_t *v, uint32_t nr, struct member *members)
{
	uint32_t i, at, n = 0;

	for (i = 0; i < nr; i++) {
		struct node *leader = &g->nodes[g->nodes[v[i]].leader];

		g->nodes[v[i]].next = HOT_NO_PLACE;
		/* The leader comes first. */
		if (leader != &g->nodes[v[i]])
			g->nodes[leader->last].next = v[i];
		leader->last = v[i];
	}
	for (i = 0; i < nr; i++)
		for (at = g->nodes[v[i]].leader == v[i] ? v[i] : HOT_NO_PLACE;
		     at != HOT_NO_PLACE; at = g->nodes[at].next)
			members[n++] = (struct member){ v[i], at };
}

/*
 * The loops among these places, which are in order: all of a function, or of a loop but for
 * its heads. False: out of memory.
 */
static bool search(struct graph *g, const uint32_t *v, uint32_t nr, unsigned int depth)
{
	struct member *members = malloc(nr * sizeof(*members));
	uint32_t *body = malloc(nr * sizeof(*body));
	const uint32_t part = ++g->nr_parts;
	bool done = members && body;
	const struct hot_loop *l;
	uint32_t i, k, n, left;

	for (i = 0; i < nr; i++) {
		g->nodes[v[i]].part = part;
		g->nodes[v[i]].index = 0;
	}
	for (i = 0; done && i < nr; i++)
		if (!g->nodes[v[i]].index)
			find_parts(g, v[i]);
	if (done)
		group_parts(g, v, nr, members);
	for (i = 0; done && i < nr; i += n) {
		for (n = 0; i + n < nr && members[i + n].leader == members[i].leader; n++)
			body[n] = members[i + n].place;
		if (n == 1 && !jumps_to_itself(g, body[0]))
			continue;
		l = add_loop(g, body, n);
		for (k = left = 0; k < n; k++)
			if (!g->hot->is_head[body[k]])
				body[left++] = body[k];
		if (is_part_of_outer(g, l))
			remove_loop(g, &members[i], n);
		if (left && depth < MAX_DEPTH)
			done = search(g, body, left, depth + 1);
	}
	free(members);
	free(body);
	return done;
}

static bool jumps_back(const struct graph *g, uint32_t place)
{
	size_t k;

	for (k = g->places[place].first; k < g->places[place + 1].first; k++)
		if (g->edges[k].to <= place && is_jump(g, &g->edges[k]))
			return true;
	return false;
}

/* All places of a function. Of one that is not known none is a jump's. */
static bool search_function(struct graph *g, uint32_t function, uint32_t *room)
{
	bool any = false;
	uint32_t i, nr = 0;

	for (i = g->hot->functions[function].first; i != HOT_NO_PLACE; i = g->next[i]) {
		any |= jumps_back(g, i);
		room[nr++] = i;
	}
	return !any || search(g, room, nr, 0);
}

static bool search_all(struct graph *g, uint32_t *room)
{
	const struct hot *hot = g->hot;
	bool done = true;
	size_t i;

	for (i = 0; done && i < hot->nr_functions; i++)
		done = search_function(g, i, room);
	return done;
}

bool hot_find_loops(struct hot *hot)
{
	const size_t nr = hot->nr_places + 1;
	struct graph g = { .hot = hot, .places = hot->places,
			   .edges = hot->edges };
	uint32_t *room = malloc(nr * sizeof(*room));
	bool done;

	g.next = malloc(nr * sizeof(*g.next));
	g.before = malloc(nr * sizeof(*g.before));
	g.falls = calloc(nr, sizeof(*g.falls));
	g.entered = calloc(nr, sizeof(*g.entered));
	g.come = calloc(nr, sizeof(*g.come));
	g.stray = calloc(nr, sizeof(*g.stray));
	g.ways = malloc(nr * sizeof(*g.ways));
	g.nodes = calloc(nr, sizeof(*g.nodes));
	g.open = malloc(nr * sizeof(*g.open));
	g.path = malloc(nr * sizeof(*g.path));
	hot->loops = malloc(nr * sizeof(*hot->loops));
	hot->in_loop = malloc(nr * sizeof(*hot->in_loop));
	hot->is_head = calloc(nr, sizeof(*hot->is_head));
	hot->unsure = calloc(nr, sizeof(*hot->unsure));
	done = room && g.next && g.before && g.falls && g.entered && g.come && g.stray && g.ways &&
	       g.nodes && g.open && g.path && hot->loops && hot->in_loop && hot->is_head &&
	       hot->unsure;
	if (done) {
		memset(hot->in_loop, 0xff, nr * sizeof(*hot->in_loop));
		link_places(&g, room);
		fill_graph(&g);
		hot_find_strays(&g, room);
		done = search_all(&g, room) && hot_settle_strays(&g);
	}
	free(room);
	free(g.next);
	free(g.before);
	free(g.falls);
	free(g.entered);
	free(g.come);
	free(g.stray);
	free(g.ways);
	free(g.nodes);
	free(g.open);
	free(g.path);
	return done;
}
