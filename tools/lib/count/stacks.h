/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks as they were counted, for what can be told of their order alone. If there are too
 * many to be kept, every second, fourth, ... of all is.
 */
#ifndef COUNT_STACKS_H
#define COUNT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNT_STACKS_MOST = 1 << 21 }; /* lines that are kept, of all stacks */

/* A transfer and its line, which another transfer ended. */
struct count_line {
	uint32_t step; /* its number */
	uint32_t weight; /* what it was counted for; 1 if they are not weighed */
};

struct count_stack {
	size_t end; /* its lines, from the newest on, are those up to here */
	float own; /* the second weight of each of them (weigh.h); 0: they have none */
};

/* All 0 before the first. */
struct count_stacks {
	struct count_line *lines;
	struct count_stack *v;
	size_t nr_lines, cap_lines, nr, cap;
	uint64_t every, next; /* one of so many; in so many comes the next */
};

/* Is the next stack kept? Then its lines are added, and it is ended. */
bool count_stacks_begin(struct count_stacks *stacks);

/* weights: NULL if each is 1. False: out of memory. */
bool count_stacks_add(struct count_stacks *stacks, const uint32_t *steps,
		      const uint32_t *weights, unsigned int nr);
bool count_stacks_end(struct count_stacks *stacks, float own);

void count_stacks_free(struct count_stacks *stacks);

#endif
