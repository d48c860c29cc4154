/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks in the order in which they were counted, for results that need this order.
 * If there are too many stacks to keep, only every second, fourth, ... stack is kept.
 */
#ifndef COUNT_STACKS_H
#define COUNT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* the most lines that are kept, of all stacks */
enum { COUNT_STACKS_MOST = 1 << 21 };

/* A transfer and its line, which another transfer ended. */
struct count_line {
	uint32_t step; /* the number of the step */
	uint32_t weight; /* its weight; 1 if the lines are not weighed */
};

struct count_stack {
	/* Its lines, the newest first, reach from the end of the stack before up to here. */
	size_t end;
	/* The second weight of each line (weigh.h). 0: the lines have none. */
	float own;
};

/* Set all members to 0 first. */
struct count_stacks {
	struct count_line *lines;
	struct count_stack *v;
	size_t nr_lines, cap_lines, nr, cap;
	/* one of `every` stacks is kept; `next` stacks are left out before the next one */
	uint64_t every, next;
};

/*
 * Returns whether the next stack is kept. If it is, call count_stacks_add() for its lines
 * and then count_stacks_end().
 */
bool count_stacks_begin(struct count_stacks *stacks);

/*
 * Add nr lines. weights is NULL if each weight is 1. Both functions return false if out
 * of memory.
 */
bool count_stacks_add(struct count_stacks *stacks, const uint32_t *steps,
		      const uint32_t *weights, unsigned int nr);
bool count_stacks_end(struct count_stacks *stacks, float own);

/* Forget the stacks, and keep the next one. The memory stays for them. */
void count_stacks_clear(struct count_stacks *stacks);

void count_stacks_free(struct count_stacks *stacks);

#endif
