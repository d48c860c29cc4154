/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a function that was called can have come to a place without returning: it is a
 * place of the function itself, or of one to which its code jumps.
 */
#ifndef CALLS_REACH_H
#define CALLS_REACH_H

#include "base/hash.h"
#include "path/code.h"

struct calls_reach_pair;

/* Set all members but code to 0 first. code must exist as long as it. */
struct calls_reach {
	struct path_code *code;
	/* Pairs of functions, with the answers. */
	struct calls_reach_pair *pairs;
	size_t nr_pairs, cap_pairs;
	struct hash index;
};

void calls_reach_free(struct calls_reach *reach);

/*
 * Find out whether control can be at at_place after a call to called_place, if what was
 * called has not returned, and what it called has. Returns 0 if it cannot, 1 if it can or if
 * it is not known, for example because of a jump to an address in a register, and -1 if out
 * of memory.
 */
int calls_reach(struct calls_reach *reach, const struct path_place *called_place,
		const struct path_place *at_place);

#endif
