/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOT_INTERNAL_H
#define HOT_INTERNAL_H

#include "hot/hot.h"

#include <linux/perf_event.h>

/* The types of calls and jumps that a recording may contain. */
enum {
	CALLS = 1 << PERF_BR_CALL | 1 << PERF_BR_IND_CALL |
		1 << PERF_BR_COND_CALL,
	JUMPS = 1 << PERF_BR_COND | 1 << PERF_BR_UNCOND | 1 << PERF_BR_IND,
	RETURNS = 1 << PERF_BR_RET | 1 << PERF_BR_COND_RET,
	UNKNOWN = 1 << PERF_BR_UNKNOWN,
};

static inline bool is_of(uint32_t type, unsigned int types)
{
	return 1u << type & types;
}

/* For the comparison of *a and *b: return if they differ in this member. */
#define BY(_field)                                                             \
	if (a->_field != b->_field)                                            \
		return a->_field < b->_field ? -1 : 1

static inline uint32_t function_of(const struct hot *hot, uint32_t place)
{
	return hot->places[place].function;
}

/* Returns whether both places are in one function that is known. */
static inline bool is_within(const struct hot *hot, uint32_t a, uint32_t b)
{
	return function_of(hot, a) == function_of(hot, b) &&
	       hot->functions[function_of(hot, a)].known;
}

/*
 * Returns whether a transfer enters a function. This is a call, wherever it leads, or a
 * jump to the first instruction of another function. Tail calls and the procedure linkage
 * table make such jumps.
 */
bool hot_enters(const struct hot *hot, uint32_t type, uint32_t from, uint32_t to);

/*
 * Make these from the counts: the edges, with one edge for each step, the lines of the
 * steps, and the places. The places are numbered, but nothing else is known about them.
 * Returns false if out of memory.
 */
bool hot_take(struct hot *hot);

/* A comparison of places for qsort(). */
int hot_by_address(const void *va, const void *vb);

/* Returns where the function of a place begins, as path_place.offset tells it. */
static inline uint64_t hot_start_of(const struct hot_place *place)
{
	return place->at.offset - place->offset;
}

/*
 * Find the offset of a place in its function, and whether its function is known. This is
 * in `function` until functions have numbers.
 */
void hot_find_symbol(const struct hot *hot, struct hot_place *place);

/*
 * After that, cut the lines that lead from one function into the next one: store their parts,
 * and add the places where these begin and end. Returns false if out of memory.
 */
bool hot_cut_lines(struct hot *hot);

void hot_set_free(struct hot_set *set);

/* Returns whether the line of the step stays within one function. */
static inline bool hot_is_line(const struct hot *hot, const struct hot_step *s)
{
	return s->end != HOT_NO_PLACE && s->end >= s->to &&
	       is_within(hot, s->to, s->end);
}

/* Returns the innermost loop that both loops are in, or that is both; or HOT_NO_LOOP. */
static inline uint32_t hot_loop_of_both(const struct hot *hot, uint32_t a, uint32_t b)
{
	while (a != b && a != HOT_NO_LOOP && b != HOT_NO_LOOP) {
		if (hot->loops[a].depth >= hot->loops[b].depth)
			a = hot->loops[a].outer;
		else
			b = hot->loops[b].outer;
	}
	return a == b ? a : HOT_NO_LOOP;
}

/*
 * Find the loops, when the edges and functions are known, and the loop of each place.
 * After that, find the shares and the trip counts of the loops. Both functions of type bool
 * return false if out of memory.
 */
bool hot_find_loops(struct hot *hot);
void hot_find_shares(struct hot *hot);
bool hot_find_trips(struct hot *hot);

/*
 * Find the conditional branches, in two steps: first count the lines, before edges are
 * merged, and find the branches after that. Both return false if out of memory.
 */
bool hot_count_passed(struct hot *hot);
bool hot_find_branches(struct hot *hot);

#endif
