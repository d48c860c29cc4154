/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Basic-block vectors: how much each block ran in each interval of a run.
 *
 * A block is a straight line of code: it begins where a control transfer, a trap or a gap
 * led to, and ends with the next one. A branch that is not taken does not end it. The same
 * block of another process is another block. Blocks have numbers from 1 on, in the order
 * of their first execution.
 *
 * An interval ends with the block in which it becomes as long as was asked for. So blocks
 * are never cut. The last interval may be shorter.
 *
 * The vector of an interval is divided by its sum, and projected to a few dimensions: each
 * block stands for a vector of random numbers from -1 to 1, which only its number and the
 * seed decide. Memory grows with the intervals (8 bytes for each dimension) and with the
 * distinct blocks.
 */
#ifndef PHASES_BBV_H
#define PHASES_BBV_H

#include "base/error.h"
#include "base/hash.h"
#include "windows/plan.h"

#include <stdbool.h>
#include <stdio.h>

enum {
	PHASES_MAX_DIMS = 64,
	PHASES_DIMS = 15, /* enough for most programs */
};

/* What tells a block from others. Unused bits are 0. */
struct phases_key {
	uint64_t start; /* its first PC, or another number for the place */
	uint32_t size; /* bytes, or as the caller likes */
	uint32_t pid;
};

struct phases_block {
	struct phases_key key;
	double amount; /* in the current interval */
};

/* Set all members to 0 first, except those that the caller sets. */
struct phases_bbv {
	/* Set by the caller. */
	uint64_t size; /* how long an interval is */
	unsigned int dims; /* at most PHASES_MAX_DIMS */
	uint64_t seed;
	FILE *bb; /* each vector is written into it, in SimPoint's format; NULL: none */
	const char *bb_name; /* its name, for messages */

	/* set by the reader: the share of what ran that it has read; 0: it is not known */
	double coverage;
	int64_t repeated; /* instructions that it shows more than once; negative: not known */

	struct windows_interval *v;
	size_t nr, cap;
	double *points; /* dims numbers for each interval */
	size_t cap_points;

	struct phases_block *blocks;
	size_t nr_blocks, cap_blocks;
	struct hash by_key;
	uint32_t *ran; /* the blocks that ran in the current interval */
	size_t nr_ran, cap_ran;
	double sum; /* their amounts */
	struct windows_interval now; /* the current interval */
};

/*
 * Count a block in the current interval: how many instructions it ran, or another measure
 * of it. Returns false if out of memory.
 */
bool phases_bbv_count(struct phases_bbv *bbv, const struct phases_key *key,
		      double amount);

/*
 * End the current interval. The next one begins where it ends, until the caller changes
 * now.start. Without anything in it, nothing happens. Returns 0, ERROR_NOMEM, ERROR_INPUT
 * if there are too many intervals, or ERROR_OUTPUT if bb cannot be written.
 */
int phases_bbv_end_interval(struct phases_bbv *bbv, struct error *error);

void phases_bbv_free(struct phases_bbv *bbv);

#endif
