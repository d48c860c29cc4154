// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stray places (hot/graph.h). A rare call in a loop may be seen to return and not to be made, or
 * to be made and not to return. What is behind it or before it is in the loop all the same, and
 * nothing enters the loop or leaves it there. Where the code is known, it tells this: from a
 * stray place, the code is followed, backwards or forwards, to places that are known.
 */
#include "hot/graph.h"

#include <stdlib.h>
#include <string.h>

/* --- which places are stray --- */

static bool is_start(const struct graph *g, uint32_t place)
{
	size_t i;

	if (!g->places[place].offset || g->places[place].fallen)
		return true;
	for (i = g->places[place].into; i < g->places[place + 1].into; i++) {
		const struct hot_edge *e = &g->edges[g->hot->into[i]];

		if (hot_enters(g->hot, e->type, e->from, e->to))
			return true;
	}
	return false;
}

/* A jump to what the compiler moved out of the function (f.cold, f.cold.0) does not leave it. */
static bool is_moved_part(const struct graph *g, const struct hot_edge *e)
{
	const struct hot_function *f = g->hot->functions;
	const char *name = f[function_of(g->hot, e->from)].name;
	const size_t len = strlen(name);

	return !strncmp(f[function_of(g->hot, e->to)].name, name, len) &&
	       !strncmp(f[function_of(g->hot, e->to)].name + len, ".cold", strlen(".cold"));
}

static bool is_end(const struct graph *g, uint32_t place)
{
	enum { TRAP_RETURNS = 1 << PERF_BR_SYSRET | 1 << PERF_BR_ERET };
	size_t i;

	if (g->places[place].goes_on)
		return true;
	for (i = g->places[place].first; i < g->places[place + 1].first; i++) {
		const struct hot_edge *e = &g->edges[i];

		if (is_of(e->type, RETURNS | TRAP_RETURNS))
			return true;
		if (!is_of(e->type, CALLS) && hot_enters(g->hot, e->type, e->from, e->to) &&
		    !is_moved_part(g, e))
			return true;
	}
	return false;
}

static bool falls_to(const struct graph *g, uint32_t place)
{
	return g->before[place] != HOT_NO_PLACE && g->falls[g->before[place]];
}

/* One way fewer leads to a place, or from it. Of none it is stray, but at the function's ends. */
static void lose_way(struct graph *g, uint32_t place, enum stray stray, uint32_t *room,
		     uint32_t *nr)
{
	if (--g->ways[place])
		return;
	if (stray == ORPHAN ? is_start(g, place) : is_end(g, place))
		return;
	g->stray[place] |= stray;
	room[(*nr)++] = place;
}

static void count_ways(struct graph *g, enum stray stray)
{
	const uint32_t nr = g->hot->nr_places;
	size_t i;

	/* One more, which is lost at once. */
	for (i = 0; i < nr; i++)
		g->ways[i] = 1 + (stray == ORPHAN ? falls_to(g, i) : g->falls[i] > 0);
	for (i = 0; i < g->hot->nr_edges; i++)
		if (is_jump(g, &g->edges[i]))
			g->ways[stray == ORPHAN ? g->edges[i].to : g->edges[i].from]++;
}

static void lose_ways_to(struct graph *g, uint32_t place, uint32_t *room, uint32_t *nr)
{
	size_t i;

	if (falls_to(g, place))
		lose_way(g, g->before[place], DEAD_END, room, nr);
	for (i = g->places[place].into; i < g->places[place + 1].into; i++) {
		const struct hot_edge *e = &g->edges[g->hot->into[i]];

		if (is_jump(g, e))
			lose_way(g, e->from, DEAD_END, room, nr);
	}
}

static void lose_ways_from(struct graph *g, uint32_t place, uint32_t *room, uint32_t *nr)
{
	size_t i;

	if (g->falls[place])
		lose_way(g, g->next[place], ORPHAN, room, nr);
	for (i = g->places[place].first; i < g->places[place + 1].first; i++)
		if (is_jump(g, &g->edges[i]))
			lose_way(g, g->edges[i].to, ORPHAN, room, nr);
}

void hot_find_strays(struct graph *g, uint32_t *room)
{
	uint32_t i, nr = 0;

	count_ways(g, ORPHAN);
	for (i = 0; i < g->hot->nr_places; i++)
		lose_way(g, i, ORPHAN, room, &nr);
	while (nr)
		lose_ways_from(g, room[--nr], room, &nr);
	count_ways(g, DEAD_END);
	for (i = 0; i < g->hot->nr_places; i++)
		lose_way(g, i, DEAD_END, room, &nr);
	while (nr)
		lose_ways_to(g, room[--nr], room, &nr);
}

/* --- the code of a function --- */

/* What is at an instruction. Instructions are numbered by their two bytes. */
struct spot {
	uint32_t target; /* of a direct jump or branch, or NOWHERE */
	uint32_t source; /* the first direct branch that leads here, or NOWHERE */
	uint32_t other; /* the next one to the same target, or the next jump from a register */
	uint32_t place; /* that is here, or HOT_NO_PLACE */
	uint32_t over; /* the place before, from which lines go on over this; or HOT_NO_PLACE */
	uint32_t visit; /* the last search that came here */
	uint8_t size; /* in two bytes; 0: no instruction begins here */
	uint8_t kind; /* enum kind */
};

enum kind { GOES_ON, BRANCHES, JUMPS_TO, JUMPS_FROM_REGISTER, GOES_BACK };

#define NOWHERE UINT32_MAX

enum { MOST_VISITS = 512 }; /* of a search, so that many of them do not take long */

struct code {
	struct graph *g;
	uint32_t function;
	struct spot *v;
	uint32_t nr, cap;
	uint32_t jumps; /* the first one from a register, or NOWHERE */
	uint32_t search; /* the number of the search at work */
	uint32_t open[MOST_VISITS], nr_open, nr_visits;
	/* What it came to: */
	bool any, unsure;
	uint32_t loop;
};

static enum kind kind_of(const struct rv_insn *insn)
{
	if (rv_is_call(insn))
		return GOES_ON;
	switch (insn->xfer) {
	case RV_XFER_BRANCH:
		return BRANCHES;
	case RV_XFER_DIR_JUMP:
	case RV_XFER_DIR_LINK:
		return JUMPS_TO;
	case RV_XFER_IND_JUMP:
	case RV_XFER_IND_LINK:
		return JUMPS_FROM_REGISTER;
	case RV_XFER_RETURN:
	case RV_XFER_CO_SWAP:
	case RV_XFER_TRAP_RETURN:
		return GOES_BACK;
	default:
		return GOES_ON;
	}
}

/* Returns false if the code is not known. */
static bool decode(struct code *c)
{
	const struct hot *hot = c->g->hot;
	const struct path_place start = hot_address(hot, c->function, 0);
	const unsigned int flags = path_code_flags(hot->code, &start);
	struct rv_insn insn;
	uint64_t left;
	const uint8_t *bytes = path_code_bytes(hot->code, &start, &left);
	uint32_t i;

	c->jumps = NOWHERE;
	for (i = 0; bytes && i < c->nr; i += insn.size / 2) {
		struct spot *s = &c->v[i];
		uint64_t to;

		if (rv_decode(&insn, bytes + 2 * i, left - 2 * i, flags) < 0)
			break;
		s->size = insn.size / 2;
		s->kind = kind_of(&insn);
		if ((s->kind == BRANCHES || s->kind == JUMPS_TO) && rv_target(&insn, 2 * i, &to) &&
		    to / 2 < c->nr) {
			s->target = to / 2;
			s->other = c->v[to / 2].source;
			c->v[to / 2].source = i;
		} else if (s->kind == JUMPS_FROM_REGISTER) {
			s->other = c->jumps;
			c->jumps = i;
		}
	}
	return bytes && i;
}

static void add_places(struct code *c)
{
	const struct graph *g = c->g;
	uint32_t i, k;

	for (i = g->hot->functions[c->function].first; i != HOT_NO_PLACE; i = g->next[i]) {
		const uint32_t at = g->places[i].offset / 2;

		c->v[at].place = i;
		for (k = at + 1; g->falls[i] && k < g->places[g->next[i]].offset / 2; k++)
			c->v[k].over = i;
	}
}

/* Returns false if out of memory. *known: the code is. */
static bool read_code(struct code *c, bool *known)
{
	enum { MOST_BYTES = 1 << 22 };
	const struct hot *hot = c->g->hot;
	const struct hot_place *last = &hot->places[hot->functions[c->function].last];
	const uint64_t size = path_code_size(hot->code, &last->at);
	uint32_t i;

	*known = false;
	if (last->offset >= MOST_BYTES)
		return true;
	c->nr = last->offset / 2 + 1;
	if (size / 2 > c->nr && size < MOST_BYTES)
		c->nr = size / 2;
	if (c->nr > c->cap) {
		free(c->v);
		c->v = malloc(c->nr * sizeof(*c->v));
		c->cap = c->v ? c->nr : 0;
	}
	if (!c->v)
		return false;
	for (i = 0; i < c->nr; i++)
		c->v[i] = (struct spot){ .target = NOWHERE, .source = NOWHERE, .other = NOWHERE,
					 .place = HOT_NO_PLACE, .over = HOT_NO_PLACE };
	add_places(c);
	*known = decode(c);
	return true;
}

/* --- to which loop stray places belong --- */

static void come_to(struct code *c, uint32_t loop)
{
	c->unsure |= c->any && c->loop != loop;
	c->any = true;
	c->loop = loop;
}

/* Go on from this instruction, unless its loop is known. */
static void look_at(struct code *c, uint32_t at)
{
	const struct graph *g = c->g;
	const uint32_t *in = g->hot->in_loop;
	struct spot *s;

	if (at >= c->nr || !c->v[at].size) {
		c->unsure = true;
		return;
	}
	s = &c->v[at];
	if (s->place != HOT_NO_PLACE && !g->stray[s->place]) {
		come_to(c, in[s->place]);
	} else if (s->over != HOT_NO_PLACE && !g->stray[s->over] &&
		   !g->stray[g->next[s->over]]) {
		come_to(c, hot_loop_of_both(g->hot, in[s->over], in[g->next[s->over]]));
	} else if (s->visit != c->search && c->nr_visits < MOST_VISITS) {
		s->visit = c->search;
		c->open[c->nr_open++] = at;
		c->nr_visits++;
	} else {
		c->unsure |= s->visit != c->search;
	}
}

/* Was this jump from a register seen, and only as a tail call? */
static bool leaves(const struct graph *g, uint32_t place)
{
	size_t i;

	if (place == HOT_NO_PLACE || g->places[place].first == g->places[place + 1].first)
		return false;
	for (i = g->places[place].first; i < g->places[place + 1].first; i++)
		if (is_within(g->hot, g->edges[i].from, g->edges[i].to))
			return false;
	return true;
}

/* No branch leads there, as to the parts of a switch: all jumps from registers may. */
static void look_at_jumps(struct code *c)
{
	bool any = false;
	uint32_t i;

	for (i = c->jumps; i != NOWHERE; i = c->v[i].other) {
		if (leaves(c->g, c->v[i].place))
			continue;
		look_at(c, i);
		any = true;
	}
	c->unsure |= !any;
}

/* Jumps within the function that led to a place, also if it was not seen what ran there. */
static bool look_at_sources(struct code *c, uint32_t place)
{
	const struct graph *g = c->g;
	bool any = false;
	size_t i;

	if (place == HOT_NO_PLACE)
		return false;
	for (i = g->places[place].into; i < g->places[place + 1].into; i++) {
		const struct hot_edge *e = &g->edges[g->hot->into[i]];

		if (!is_of(e->type, JUMPS) || !is_within(g->hot, e->from, e->to))
			continue;
		look_at(c, g->places[e->from].offset / 2);
		any = true;
	}
	return any;
}

/* Those from a place. */
static bool look_at_targets(struct code *c, uint32_t place)
{
	const struct graph *g = c->g;
	bool any = false;
	size_t i;

	if (place == HOT_NO_PLACE)
		return false;
	for (i = g->places[place].first; i < g->places[place + 1].first; i++) {
		const struct hot_edge *e = &g->edges[i];

		if (!is_of(e->type, JUMPS) || !is_within(g->hot, e->from, e->to))
			continue;
		look_at(c, g->places[e->to].offset / 2);
		any = true;
	}
	return any;
}

/* The instruction before, if control goes on from it; or NOWHERE. */
static uint32_t before(const struct code *c, uint32_t at)
{
	uint32_t size;

	for (size = 1; size <= 2 && size <= at; size++) {
		const struct spot *s = &c->v[at - size];

		if (s->size == size)
			return s->kind == GOES_ON || s->kind == BRANCHES ? at - size : NOWHERE;
	}
	return NOWHERE;
}

/* Where control may have come from. */
static void look_back(struct code *c, uint32_t at)
{
	const struct spot *s = &c->v[at];
	bool any = look_at_sources(c, s->place);
	uint32_t from;

	if (!at || (s->place != HOT_NO_PLACE && is_start(c->g, s->place))) {
		come_to(c, HOT_NO_LOOP);
		any = true;
	}
	for (from = s->source; from != NOWHERE; from = c->v[from].other) {
		look_at(c, from);
		any = true;
	}
	from = before(c, at);
	if (from != NOWHERE)
		look_at(c, from);
	else if (!any)
		look_at_jumps(c);
}

/* Where it may go. */
static void look_ahead(struct code *c, uint32_t at)
{
	const struct spot *s = &c->v[at];
	const bool any = look_at_targets(c, s->place);

	if (s->kind == GOES_BACK)
		come_to(c, HOT_NO_LOOP);
	if (s->kind == JUMPS_FROM_REGISTER)
		c->unsure |= !any;
	if (s->kind == BRANCHES || s->kind == JUMPS_TO)
		look_at(c, s->target);
	if (s->kind == BRANCHES || s->kind == GOES_ON)
		look_at(c, at + s->size);
}

static bool is_orphan(const struct code *c, uint32_t place)
{
	return c->g->stray[place] & ORPHAN;
}

static void begin_search(struct code *c, uint32_t place)
{
	const uint32_t at = c->g->places[place].offset / 2;

	c->any = c->unsure = false;
	c->search++;
	c->v[at].visit = c->search;
	c->open[0] = at;
	c->nr_open = c->nr_visits = 1;
}

/*
 * Search the side of a place that was not seen in the code. Returns whether it leads to one loop
 * alone, or to none alone: then this is c->loop.
 */
static bool search_code(struct code *c, uint32_t place)
{
	begin_search(c, place);
	while (c->nr_open && !c->unsure) {
		const uint32_t at = c->open[--c->nr_open];

		if (is_orphan(c, place))
			look_back(c, at);
		else
			look_ahead(c, at);
	}
	return c->any && !c->unsure;
}

/* A place on the seen side: the innermost loop counts that it shares with `loop`. */
static void look_at_seen(struct code *c, uint32_t place, uint32_t loop)
{
	const struct hot *hot = c->g->hot;
	const uint32_t at = c->g->places[place].offset / 2;
	const uint32_t both = hot_loop_of_both(hot, loop, hot->in_loop[place]);

	if (c->g->stray[place]) {
		if (c->v[at].visit == c->search || c->nr_visits == MOST_VISITS)
			return;
		c->v[at].visit = c->search;
		c->open[c->nr_open++] = at;
		c->nr_visits++;
	} else if (both != HOT_NO_LOOP &&
		   (c->loop == HOT_NO_LOOP || hot->loops[both].depth > hot->loops[c->loop].depth)) {
		c->loop = both;
	}
}

static void look_back_seen(struct code *c, uint32_t place, uint32_t loop)
{
	const struct graph *g = c->g;
	size_t i;

	if (falls_to(g, place))
		look_at_seen(c, g->before[place], loop);
	for (i = g->places[place].into; i < g->places[place + 1].into; i++)
		if (is_jump(g, &g->edges[g->hot->into[i]]))
			look_at_seen(c, g->edges[g->hot->into[i]].from, loop);
}

static void look_ahead_seen(struct code *c, uint32_t place, uint32_t loop)
{
	const struct graph *g = c->g;
	size_t i;

	if (g->falls[place])
		look_at_seen(c, g->next[place], loop);
	for (i = g->places[place].first; i < g->places[place + 1].first; i++)
		if (is_jump(g, &g->edges[i]))
			look_at_seen(c, g->edges[i].to, loop);
}

/* Returns the innermost loop that a place has on both sides, if `loop` is on the unseen one. */
static uint32_t search_seen(struct code *c, uint32_t place, uint32_t loop)
{
	begin_search(c, place);
	c->loop = HOT_NO_LOOP;
	while (c->nr_open) {
		const uint32_t at = c->v[c->open[--c->nr_open]].place;

		if (is_orphan(c, place))
			look_ahead_seen(c, at, loop);
		else
			look_back_seen(c, at, loop);
	}
	return c->loop;
}

static void put_into_loop(struct hot *hot, uint32_t place, uint32_t loop)
{
	hot->in_loop[place] = loop;
	for (; loop != HOT_NO_LOOP; loop = hot->loops[loop].outer) {
		struct hot_loop *l = &hot->loops[loop];

		l->first = l->first < place ? l->first : place;
		l->last = l->last > place ? l->last : place;
	}
}

/* The entries that add_loop() did not count, because it was not known yet what they are. */
static void add_entries(struct hot *hot, uint32_t from, uint32_t to, uint64_t count)
{
	uint32_t loop = hot->in_loop[to];
	const uint32_t both = hot_loop_of_both(hot, hot->in_loop[from], loop);

	for (; loop != both; loop = hot->loops[loop].outer)
		hot->loops[loop].entries += count;
}

static void settle_place(struct code *c, uint32_t place, bool known)
{
	struct graph *g = c->g;

	/* What is not known on both sides leads to no loop, and from none. */
	if (known && g->stray[place] != (ORPHAN | DEAD_END) && search_code(c, place))
		put_into_loop(g->hot, place, search_seen(c, place, c->loop));
	else
		g->hot->unsure[place] = true;
}

static void count_entries(struct graph *g, uint32_t place)
{
	size_t i;

	if (g->falls[place])
		add_entries(g->hot, place, g->next[place], g->falls[place]);
	for (i = g->places[place].first; i < g->places[place + 1].first; i++)
		if (is_jump(g, &g->edges[i]))
			add_entries(g->hot, place, g->edges[i].to, g->edges[i].followed);
}

/* Returns false if out of memory. */
static bool settle_function(struct code *c, uint32_t function)
{
	struct graph *g = c->g;
	const uint32_t first = g->hot->functions[function].first;
	bool known = false, any = false;
	uint32_t i;

	for (i = first; i != HOT_NO_PLACE; i = g->next[i])
		any |= g->stray[i];
	c->function = function;
	if (any && !read_code(c, &known))
		return false;
	for (i = first; any && i != HOT_NO_PLACE; i = g->next[i])
		if (g->stray[i])
			settle_place(c, i, known);
	for (i = first; any && i != HOT_NO_PLACE; i = g->next[i])
		if (g->stray[i] & ORPHAN && !g->hot->unsure[i])
			count_entries(g, i);
	return true;
}

bool hot_settle_strays(struct graph *g)
{
	const struct hot *hot = g->hot;
	struct code c = { .g = g };
	bool done = true;
	size_t i;

	for (i = 0; done && i < hot->nr_loops; i++) {
		const uint32_t function = function_of(hot, hot->loops[i].head);

		if (!i || function_of(hot, hot->loops[i - 1].head) != function)
			done = settle_function(&c, function);
	}
	free(c.v);
	return done;
}
