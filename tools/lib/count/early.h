/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first stacks of a recording, which wait to be weighed until something was learnt, from
 * themselves too (weigh.h). A small recording may have no others.
 */
#ifndef COUNT_EARLY_H
#define COUNT_EARLY_H

#include "count/weigh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct early_stack {
	struct weigh_context context;
	float mean; /* for weigh_begin(), and so is late */
	bool late;
	size_t end; /* Its lines reach from the end of the stack before up to here. */
};

/* Set all members to 0 first. */
struct early {
	/* of each line the number of its step, and what it takes */
	uint32_t *steps, *lengths;
	size_t nr_lines, cap_steps, cap_lengths;
	struct early_stack *v;
	size_t nr, cap;
};

/*
 * Begin a stack, which weigh_seek() was called for. Then add its lines, from the newest whole
 * one on, some at a time. Both functions return false if out of memory.
 */
bool early_begin(struct early *early, const struct weigh *w, float mean, bool late);
bool early_add(struct early *early, const uint32_t *steps, const uint32_t *lengths,
	       unsigned int nr);

/* Forget the stacks. The memory stays for others. */
void early_clear(struct early *early);

void early_free(struct early *early);

#endif
