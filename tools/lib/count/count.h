/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting branch stacks: which transfers were made, and what each went on to.
 * Memory grows with the number of distinct transfers, not with that of the samples.
 *
 * An address is counted as a place, which is the same wherever a process has the
 * code mapped: the caller numbers what there is to be mapped, and says which
 * number an address is in, and at which offset.
 */
#ifndef COUNT_H
#define COUNT_H

#include "count/stacks.h"
#include "count/weigh.h"
#include "perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A number, above an offset of COUNT_OFFSET_BITS bits, of which the highest is
 * never used: so no place is near one of another number.
 */
typedef uint64_t count_place;

enum {
	COUNT_OFFSET_BITS = 41,
	COUNT_MAX_NUMBER = (1 << (63 - COUNT_OFFSET_BITS)) - 2,
};

/* All that is used of an offset. */
#define COUNT_OFFSET_MASK ((UINT64_C(1) << (COUNT_OFFSET_BITS - 1)) - 1)

/* Beside a source: the transfer was mispredicted. */
#define COUNT_MISPREDICTED (UINT64_C(1) << 63)

/* Where the line ended is not known, or not in the same number. */
#define COUNT_NO_LINE INT32_MIN

static inline unsigned int count_number_of(count_place place)
{
	return (place & ~COUNT_MISPREDICTED) >> COUNT_OFFSET_BITS;
}

static inline uint64_t count_offset_of(count_place place)
{
	return place & ((UINT64_C(1) << COUNT_OFFSET_BITS) - 1);
}

/*
 * A transfer and the source of the one after it, up to which the code ran in
 * straight line. There is another one of the same when the count is full. Half of
 * a line of the cache, as there are hundreds of thousands of them.
 */
struct count_step {
	count_place from; /* with COUNT_MISPREDICTED */
	count_place to;
	int32_t line; /* bytes from to to the next source, or COUNT_NO_LINE */
	uint32_t count;
	uint32_t length; /* instructions of the line, if they are weighed */
};

/* What else there is of a step, for those who want it. */
struct count_detail {
	uint64_t cycles; /* since the transfer before, summed up */
	uint32_t timed; /* how many have cycles */
	/* Steps that differ in these are two: */
	uint16_t type; /* as pd_branch_type() has it */
	bool youngest; /* of its stack: what it went on to is not known */
};

/* The mapping that an address is in. */
struct count_map {
	uint64_t start, size; /* addresses; size 0: there is none */
	uint64_t offset; /* of start, which is the address if size is 0 */
	unsigned int number; /* up to COUNT_MAX_NUMBER */
};

/* All 0 before the first sample, but for what the caller sets. */
struct counts {
	/*
	 * The mapping of an address of process pid now; it has to stay the same as
	 * long as one sample is counted. False: out of memory.
	 */
	bool (*find)(void *arg, uint32_t pid, uint64_t addr,
		     struct count_map *map);
	void *arg;
	/*
	 * Count each transfer not for 1 but for what its line stands for (weigh.h), and
	 * not the youngest of a stack, whose line is not known.
	 */
	bool weighed;
	/* The code at a place, *len bytes; NULL: it is not known. NULL: none is. */
	const uint8_t *(*code)(void *arg, count_place place, uint64_t *len);
	/* Have the details; and keep stacks, too. */
	bool detailed;
	struct count_stacks *stacks; /* NULL: none */

	struct count_step *steps; /* none twice, but where the count is full */
	struct count_detail *details; /* of each step */
	size_t nr_steps, cap_steps;
	uint32_t *slots; /* open addressing: the number of a step, and 1; 0: none */
	unsigned int slots_bits; /* 1 << slots_bits slots */
	uint64_t samples;
	uint64_t empty; /* samples without a transfer in their stack */
	uint64_t entries; /* transfers, in all stacks */
	uint64_t weight; /* the sum of what each of them was counted for */
	uint64_t flags; /* of all transfers, if there are details */

	/* If they are weighed: */
	struct weigh weigh;
};

/* Count a sample and its branch stack. False: out of memory; no more is counted. */
bool count_sample(struct counts *counts, const struct pd_event *ev);

/*
 * How many of the recorded transfers a sum of weights stands for, of which there are so many
 * in all; 0 only for 0.
 */
uint64_t count_transfers(uint64_t weight, uint64_t all, uint64_t entries);

/* That was all: free what finds the steps, but not what was counted. */
void count_end(struct counts *counts);

void count_free(struct counts *counts);

#endif
