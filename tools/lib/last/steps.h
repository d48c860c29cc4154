/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path of a thread before a point, as steps: each is straight code, and what ended it.
 * Steps that repeat stand there once.
 */
#ifndef LAST_STEPS_H
#define LAST_STEPS_H

#include "last/words.h"
#include "path/code.h"

/* What ended the straight code. */
enum last_end {
	LAST_STOPS, /* the point itself */
	LAST_BRANCHES,
	LAST_JUMPS,
	LAST_CALLS,
	LAST_RETURNS,
	LAST_TRAPS, /* into the kernel */
	LAST_TRAP_RETURNS, /* out of it */
	LAST_BREAKS, /* it is not known what ran next: `why` */
	LAST_HIDDEN, /* a probe hides where it returned to, and what ran then */
	LAST_LOST, /* what ran next is missing in the log that this is of */
};

struct last_step {
	uint64_t pc; /* the first instruction */
	uint64_t last; /* the last one; at the end of the path, where it stopped */
	uint64_t to; /* where it went on; 0: not known */
	uint32_t nr_insns; /* 0: only the end is known */
	enum last_end end;
	enum path_break why; /* of LAST_BREAKS */
	/* calls that it is in, from the outermost function of the path, which is 0, on */
	unsigned int depth;
	/*
	 * Of the first of some steps that ran many times in a row: how many steps these are,
	 * and how often they ran. Otherwise 1.
	 */
	unsigned int loop, times;
	struct path_place at, last_at; /* where pc and last are */
};

/* Set all members to 0 first. */
struct last_steps {
	struct last_step *v;
	size_t nr, cap;
	uint64_t nr_insns; /* of all steps */
	uint64_t nr_transfers; /* in the sample */
};

/*
 * Find the steps before a point. path gets its code from `code`. most is the number of the
 * newest transfers that are used. What probes in the program did is left out. Returns 0 or
 * PD_ENOMEM. The caller frees v.
 */
int last_find_steps(struct last_steps *steps, struct path *path, struct path_code *code,
		    const struct pd_event *ev, const struct last_point *point, uint64_t most);

/* Find the depth of each step by what ended those before it, and fold those that repeat. */
void last_fold_steps(struct last_steps *steps);

#endif
