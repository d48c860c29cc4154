/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recording's transfers tell of the program: its hottest edges, functions,
 * loops, indirect branches and calls.
 */
#ifndef SSCTR_HOT_H
#define SSCTR_HOT_H

#include "transfers.h"

/* A function; where none is known all of a binary, or of what lies in none. */
struct hot_function {
	const char *name;
	const char *binary;
	bool known;
	uint64_t entries; /* by calls, and by jumps from other functions */
};

struct hot_place {
	uint32_t function;
	uint64_t offset; /* from its start, or in its binary */
};

/* All transfers of one type between two places. */
struct hot_edge {
	uint32_t from, to;
	uint32_t type; /* recorded, or else as the instruction says; 0: unknown */
	uint64_t count;
	uint64_t mispredicted;
	uint64_t cycles, timed; /* as in struct tr_step */
};

/*
 * A loop, by the place that a jump or branch of it leads back to. Its body is what
 * ran from there and came back, without code that lies before it; so a jump back
 * from a block that was moved out of the way makes no loop. It is entered at the
 * head, or elsewhere, as where the condition is tested first.
 *
 * Counted of the transfers that another one follows in their stack, since only of
 * these it is known what ran after them.
 */
struct hot_loop {
	uint32_t head, last; /* places: the body's first and last */
	uint64_t iterations; /* how often the head ran */
	uint64_t entries;
};

/* An indirect jump or call and its targets, but no return: these go back. */
struct hot_site {
	uint32_t from;
	uint32_t type;
	uint64_t count;
	size_t first, nr; /* of struct hot.targets */
};

struct hot_call {
	uint32_t from, to; /* functions */
	uint64_t count;
};

/* All sorted: what happened most often comes first. */
struct hot {
	const struct transfers *transfers;
	struct hot_place *places; /* by the numbers of transfers */
	struct hot_function *functions; /* by number */
	uint32_t *entered; /* the numbers of those that were */
	struct hot_edge *edges;
	struct hot_loop *loops;
	struct hot_site *sites;
	struct hot_edge *targets; /* site by site */
	struct hot_call *calls;
	size_t nr_functions, nr_entered, nr_edges, nr_loops, nr_sites;
	size_t nr_targets, nr_calls;
	uint64_t entries; /* of all functions */
	uint64_t iterations; /* of all loops */
};

/*
 * t was counted with code and sorted; its steps are brought into another order.
 * Both have to outlive *hot. False: out of memory; hot_free() in either case.
 */
bool hot_find(struct hot *hot, struct transfers *t, struct path_code *code);
void hot_free(struct hot *hot);

#endif
