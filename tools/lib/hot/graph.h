/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The graph of the places in which loops are found: where control went from one place to the next
 * in memory, or jumped.
 */
#ifndef HOT_GRAPH_H
#define HOT_GRAPH_H

#include "hot/internal.h"

/*
 * Of some places it was not seen how control came to them within the function, or where it went
 * from them: of what is behind a call that itself was not seen, of a call that was not seen to
 * return, of where exceptions land. So it is not known by what was seen in which loops they are.
 */
enum stray {
	ORPHAN = 1 << 0, /* neither the function's entry nor a loop is known to lead to it */
	DEAD_END = 1 << 1, /* it is not known to lead to the function's end or to a loop */
};

/* Of a place, for the search for connected parts, which is Tarjan's. */
struct node {
	uint32_t part; /* that is searched, and has it */
	uint32_t index; /* by when it was come to; 0: not yet */
	uint32_t low; /* the least index that is known to be reached from it */
	uint32_t way; /* out of it, which is to be tried next */
	uint32_t leader; /* of the connected part that it is in: its first place */
	uint32_t next; /* place of that part, or HOT_NO_PLACE */
	uint32_t last; /* place of the part so far, if it is the leader */
	bool open; /* on the stack of those whose part is not complete */
};

struct graph {
	struct hot *hot;
	const struct hot_place *places;
	const struct hot_edge *edges;
	/*
	 * The next place of the same function, and the one before it, or HOT_NO_PLACE: another
	 * function may lie between them.
	 */
	uint32_t *next, *before;
	uint64_t *falls; /* how often control went on from a place to the next */
	uint64_t *entered; /* how often a function was entered at a place */
	uint8_t *stray; /* enum stray */
	uint32_t *ways; /* as many as lead to a place, or from it, and are not from a stray one */
	uint64_t *come; /* how often from outside of a loop to its places */
	struct node *nodes; /* of places */
	uint32_t nr_parts, nr_indices;
	uint32_t *open, nr_open;
	uint32_t *path; /* from where the search began to where it is */
};

static inline bool is_jump(const struct graph *g, const struct hot_edge *e)
{
	return e->followed && is_of(e->type, JUMPS) &&
	       is_within(g->hot, e->from, e->to);
}

/* Find the stray places, when the rest of the graph is complete. room: for all places. */
void hot_find_strays(struct graph *g, uint32_t *room);

/*
 * When the loops are found: if the code tells in which loop a stray place is, put it there. Note
 * the other stray places as unsure. Returns false if out of memory.
 */
bool hot_settle_strays(struct graph *g);

#endif
