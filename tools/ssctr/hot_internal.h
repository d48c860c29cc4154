/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SSCTR_HOT_INTERNAL_H
#define SSCTR_HOT_INTERNAL_H

#include "hot.h"

#include <linux/perf_event.h>

/* What calls and jumps are, of the types that a recording may hold. */
enum {
	CALLS = 1 << PERF_BR_CALL | 1 << PERF_BR_IND_CALL |
		1 << PERF_BR_COND_CALL,
	JUMPS = 1 << PERF_BR_COND | 1 << PERF_BR_UNCOND | 1 << PERF_BR_IND,
	INDIRECT = 1 << PERF_BR_IND | 1 << PERF_BR_IND_CALL,
	RETURNS = 1 << PERF_BR_RET | 1 << PERF_BR_COND_RET,
	UNKNOWN = 1 << PERF_BR_UNKNOWN,
};

static inline bool is_of(uint32_t type, unsigned int types)
{
	return 1u << type & types;
}

#define ORDER(_a, _b) ((_a) < (_b) ? -1 : (_a) > (_b))

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
bool hot_enters(const struct hot *hot, uint32_t from, uint32_t to,
		uint32_t type);

/* The loops, once places have functions and steps are in order of their sources. */
bool hot_find_loops(struct hot *hot);

#endif
