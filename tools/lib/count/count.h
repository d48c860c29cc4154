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

/* In place of a source: none, a sample was taken there. */
#define COUNT_SAMPLED UINT64_MAX
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
 * straight line; or a sample. There is another one of the same when the count is
 * full. 24 bytes, as there are hundreds of thousands of them.
 */
struct count_step {
	count_place from; /* with COUNT_MISPREDICTED; or COUNT_SAMPLED */
	count_place to;
	int32_t line; /* bytes from to to the next source, or COUNT_NO_LINE */
	uint32_t count;
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
	 * Count each transfer not for 1 but for COUNT_EVEN by the bytes of code
	 * that its stack spans.
	 */
	bool even;
	/* Have the details, but not where the samples were taken. */
	bool detailed;

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
};

/*
 * A stack has as many transfers where they are dense as where they are not, and
 * spans less of what ran there. So samples by time or instructions find the code
 * with long straight lines too often, by as much as these are longer. The weight
 * of a stack that spans one byte; none weighs more than one that spans
 * COUNT_EVEN_LEAST.
 */
enum { COUNT_EVEN = 1 << 20, COUNT_EVEN_LEAST = 64 };

/* Count a sample and its branch stack. False: out of memory; no more is counted. */
bool count_sample(struct counts *counts, const struct pd_event *ev);

/* That was all: free what finds the steps, but not what was counted. */
void count_end(struct counts *counts);

void count_free(struct counts *counts);

#endif
