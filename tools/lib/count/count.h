/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count branch stacks: which transfers were made, and which transfer followed each of
 * them. The memory grows with the number of different transfers, and not with the number
 * of samples.
 *
 * An address is counted as a place. The place of code is the same wherever a process has
 * mapped the code. The caller gives each mapped object a number. It tells the number and
 * the offset of each address.
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
 * A number, and below it an offset of COUNT_OFFSET_BITS bits. The highest bit of an
 * offset is never used, so that no place is near a place with another number.
 */
typedef uint64_t count_place;

enum {
	COUNT_OFFSET_BITS = 41,
	COUNT_MAX_NUMBER = (1 << (63 - COUNT_OFFSET_BITS)) - 2,
};

/* The bits of an offset that are used. */
#define COUNT_OFFSET_MASK ((UINT64_C(1) << (COUNT_OFFSET_BITS - 1)) - 1)

/* Set in a source: the transfer was mispredicted. */
#define COUNT_MISPREDICTED (UINT64_C(1) << 63)

/* The end of the line is not known, or it has another number. */
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
 * A transfer, and the source of the next transfer. Between them, the code ran in a
 * straight line. A step takes half a cache line, because there are hundreds of thousands
 * of them.
 */
struct count_step {
	count_place from; /* with COUNT_MISPREDICTED */
	count_place to;
	uint64_t count;
	int32_t line; /* bytes from to to the next source, or COUNT_NO_LINE */
	/* the instructions of the line, if the lines are weighed or measured */
	uint32_t length;
};

/* More data about a step, if the caller needs it. */
struct count_detail {
	uint64_t cycles; /* the sum of the cycles since the transfers before */
	uint64_t timed; /* how many of the transfers have cycles */
	uint64_t seen; /* how many transfers the step has, if `both` is set */
	/* Steps that differ in these members are different: */
	uint16_t type; /* the result of pd_branch_type() */
	/* The newest transfer of its stack. It is not known what followed it. */
	bool youngest;
};

/* The mapping that contains an address. */
struct count_map {
	uint64_t start, size; /* addresses; size 0: there is no mapping */
	/* the offset of start; the address itself if size is 0 */
	uint64_t offset;
	unsigned int number; /* at most COUNT_MAX_NUMBER */
};

struct count_queue;

/* Set all members to 0 before the first sample, except those that the caller sets. */
struct counts {
	/*
	 * Set by the caller. Store the mapping that contains an address of process pid
	 * now. It must stay the same while one sample is counted. Returns false if out of
	 * memory.
	 */
	bool (*find)(void *arg, uint32_t pid, uint64_t addr,
		     struct count_map *map);
	void *arg;
	/*
	 * Set by the caller, and again before a sample. As long as it is the same and not 0,
	 * find() tells the same of a process, and is not asked again before count_settle().
	 */
	uint64_t maps;
	/*
	 * Set by the caller. Count each transfer with the weight of its line (weigh.h),
	 * and not with 1. The newest transfer of a stack is not counted then, because its
	 * line is not known.
	 */
	bool weighed;
	/* Set by the caller. Store the lengths of lines, also if the lines are not weighed. */
	bool measured;
	/*
	 * Set by the caller. Returns the code at a place and its length *len in bytes, or
	 * NULL if it is not known. May be NULL if no code is known.
	 */
	const uint8_t *(*code)(void *arg, count_place place, uint64_t *len);
	/* Set by the caller. Store the details, and keep the stacks. */
	bool detailed;
	struct count_stacks *stacks; /* NULL: stacks are not kept */
	/*
	 * Set by the caller, only together with `detailed`. Also store how many transfers
	 * each step has. The newest transfer of a stack is a step, too. It has no weight.
	 */
	bool both;

	struct count_step *steps; /* each step once */
	struct count_detail *details; /* one for each step */
	size_t nr_steps, cap_steps, cap_details;
	/* open addressing: the number of a step plus 1, and bits of its hash; 0: free */
	uint32_t *slots;
	uint32_t slots_mask; /* the number of slots, a power of two, minus 1 */
	uint64_t samples;
	uint64_t empty; /* samples without a transfer in their stack */
	uint64_t call_stacks; /* samples that were left out: count_is_call_stack() */
	uint64_t entries; /* the number of transfers in all stacks */
	uint64_t weight; /* the sum of the weights of all transfers */
	/* the flags of all transfers, combined with OR */
	uint64_t flags;

	struct count_queue *queue; /* transfers that wait to be counted */

	/* Only if the lines are weighed: */
	struct weigh weigh;
};

/*
 * Returns whether the branch stack of a sample is the hart's call stack. It has the calls that
 * have not returned, again in each sample, and not what was executed. So nothing of it is
 * counted.
 */
bool count_is_call_stack(const struct pd_event *ev);

/*
 * Count a sample and its branch stack. Returns false if out of memory. Nothing more is
 * counted then.
 */
bool count_sample(struct counts *counts, const struct pd_event *ev);

/*
 * The same, but the sample may wait while the steps of its transfers come from memory. It is
 * then counted together with one of the next samples. count_settle() counts all samples that
 * wait. Call it before you read what was counted, and before count_restart() and
 * count_forget(). Both return as count_sample().
 */
bool count_later(struct counts *counts, const struct pd_event *ev);
bool count_settle(struct counts *counts);

/*
 * Also count the samples that wait for their steps, but leave those that wait to be weighed
 * (count/early.h). Returns as count_settle(). As long as count_has_early() then says that there
 * are some, call count_forget() only after count_settle().
 */
bool count_flush(struct counts *counts);
bool count_has_early(const struct counts *counts);

/*
 * Add what was counted elsewhere: a step with its count, and its details if details are
 * stored. The length is used if it is larger than the known one. Returns false if out of
 * memory.
 */
bool count_add(struct counts *counts, const struct count_step *step,
	       const struct count_detail *detail);

/*
 * Forget what was learnt from the samples before, so that it does not change the weights
 * of the next ones.
 */
void count_restart(struct counts *counts);

/*
 * Forget the steps and the sums, after the caller has stored them, but nothing of what
 * was learnt. The memory stays, for the steps that come.
 */
void count_forget(struct counts *counts);

/*
 * Returns the number of recorded transfers that a sum of weights stands for. `all` is the
 * weight of all `entries` recorded transfers. The result is 0 only if weight is 0.
 */
uint64_t count_transfers(uint64_t weight, uint64_t all, uint64_t entries);

/* End the counting. This frees the tables that find the steps, but not the counts. */
void count_end(struct counts *counts);

void count_free(struct counts *counts);

#endif
