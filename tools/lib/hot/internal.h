/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOT_INTERNAL_H
#define HOT_INTERNAL_H

#include "hot/hot.h"

#include <linux/perf_event.h>

/* What calls and jumps are, of the types that a recording may hold. */
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

/* In a comparison of *a and *b: return, if they differ in this. */
#define BY(_field)                                                             \
	if (a->_field != b->_field)                                            \
		return a->_field < b->_field ? -1 : 1

static inline uint32_t function_of(const struct hot *hot, uint32_t place)
{
	return hot->places[place].function;
}

/* Are both places in one function that is known? */
static inline bool is_within(const struct hot *hot, uint32_t a, uint32_t b)
{
	return function_of(hot, a) == function_of(hot, b) &&
	       hot->functions[function_of(hot, a)].known;
}

/*
 * A call, wherever it leads; or a jump to another function's first instruction, as
 * tail calls and the procedure linkage table do.
 */
bool hot_enters(const struct hot *hot, uint32_t type, uint32_t from, uint32_t to);

/*
 * Make edges of what was counted, one of each step, the steps' lines, and the places, which
 * are numbered, but no more is known of them. False: out of memory.
 */
bool hot_take(struct hot *hot);

void hot_set_free(struct hot_set *set);

/* Does the step's line stay within one function? */
static inline bool hot_is_line(const struct hot *hot, const struct hot_step *s)
{
	return s->end != HOT_NO_PLACE && s->end >= s->to &&
	       is_within(hot, s->to, s->end);
}

/* Of the instruction at a line's end, whose length is not looked up. */
#define HOT_LAST_BYTES	2

/* Instructions, or bytes where lengths are not known: of lines that are not weighed. */
static inline double hot_insns_of(const struct hot *hot, const struct hot_step *s)
{
	if (s->length)
		return s->length;
	return (double)(hot->places[s->end].offset - hot->places[s->to].offset + HOT_LAST_BYTES);
}

/*
 * The loops, once edges and functions are known, and what places they have; and then how
 * often these run for each entry. False: out of memory.
 */
bool hot_find_loops(struct hot *hot);
bool hot_find_trips(struct hot *hot);

/*
 * The conditional branches, in two parts: the lines, before edges are merged, and the
 * branches, thereafter. False: out of memory.
 */
bool hot_count_passed(struct hot *hot);
bool hot_find_branches(struct hot *hot);

#endif
