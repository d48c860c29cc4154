/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting the branch stacks of recordings: which transfers were made, and what
 * each went on to. Memory grows with the number of distinct transfers, not with
 * that of the samples.
 *
 * An address is counted as a place: a binary, and an offset in its file. Binaries
 * are told apart by name and build id, so that the counts of several recordings
 * add up, wherever their processes had the binary mapped.
 */
#ifndef PROFILE_COUNT_H
#define PROFILE_COUNT_H

#include "perfdata/space.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The number of a binary, above an offset of PROF_OFFSET_BITS bits, of which one is
 * never used: so no place is near one in another binary.
 */
typedef uint64_t prof_place;

enum { PROF_OFFSET_BITS = 41 };

enum {
	PROF_NOWHERE = 0, /* nothing known is mapped there; offset 0 */
	PROF_KERNEL = 1, /* the same at a kernel's address */
	PROF_FIRST_BINARY = 2,
	PROF_MAX_BINARIES = 1 << (63 - PROF_OFFSET_BITS),
};

/* The kernel's symbol is not the first of what is mapped. */
#define PROF_FROM_SYMBOL (UINT64_C(1) << (PROF_OFFSET_BITS - 2))

/* In place of a source: none, a sample was taken there. */
#define PROF_SAMPLED UINT64_MAX
/* Beside a source: the transfer was mispredicted. */
#define PROF_MISPREDICTED (UINT64_C(1) << 63)

/* Where the line ended is not known, or not in the same binary. */
#define PROF_NO_LINE INT32_MIN

static inline unsigned int prof_binary_of(prof_place place)
{
	return (place & ~PROF_MISPREDICTED) >> PROF_OFFSET_BITS;
}

static inline uint64_t prof_offset_of(prof_place place)
{
	return place & ((UINT64_C(1) << PROF_OFFSET_BITS) - 1);
}

struct prof_binary {
	char *name;
	unsigned int build_id_size; /* 0: not known */
	uint8_t build_id[20];
	bool kernel;
	/*
	 * The kernel, which is elsewhere after each boot: its offsets are distances
	 * from this symbol, and PROF_FROM_SYMBOL. NULL: offsets in a file.
	 */
	const char *symbol;
	uint64_t symbol_addr; /* as linked; the caller's to set for prof_derive() */
};

/*
 * A transfer and the source of the one after it, up to which the code ran in
 * straight line; or a sample. There is another one of the same when the count is
 * full. 24 bytes, as there are hundreds of thousands of them.
 */
struct prof_step {
	prof_place from; /* with PROF_MISPREDICTED; or PROF_SAMPLED */
	prof_place to;
	int32_t line; /* bytes from to to the next source, or PROF_NO_LINE */
	uint32_t count;
};

struct prof_counts {
	struct prof_step *steps; /* none twice, but where the count is full */
	size_t nr_steps, cap_steps;
	uint32_t *slots; /* open addressing: the number of a step, and 1; 0: none */
	unsigned int slots_bits; /* 1 << slots_bits slots */
	struct prof_binary *binaries; /* by number */
	unsigned int nr_binaries;
	uint64_t samples;
	uint64_t empty; /* samples without a transfer in their stack */
	uint64_t entries; /* transfers, in all stacks */
	uint64_t weight; /* the sum of what each of them was counted for */
	/*
	 * Count each transfer not for 1 but for PROF_EVEN by the bytes of code that
	 * its stack spans; to be set before the first sample.
	 */
	bool even;
	/* Of the recording at work: */
	struct pd_space *space;
	unsigned int *numbers; /* of its files, by struct pd_dso.id; 0: none yet */
	unsigned int cap_numbers;
};

/*
 * A stack has as many transfers where they are dense as where they are not, and
 * spans less of what ran there. So samples by time or instructions find the code
 * with long straight lines too often, by as much as these are longer. The weight
 * of a stack that spans one byte; none weighs more than one that spans
 * PROF_EVEN_LEAST.
 */
enum { PROF_EVEN = 1 << 20, PROF_EVEN_LEAST = 64 };

/* NULL: out of memory. */
struct prof_counts *prof_counts_new(void);
void prof_counts_free(struct prof_counts *counts);

/* The samples that follow are of another recording. */
void prof_counts_begin(struct prof_counts *counts, struct pd_space *space);

/*
 * The steps, which the caller has to free; counts is of no use for counting after
 * that. NULL: there is none.
 */
struct prof_step *prof_counts_take(struct prof_counts *counts, size_t *nr);

/* Count a sample and its branch stack. Returns 0 or PD_ENOMEM. */
int prof_counts_sample(struct prof_counts *counts, const struct pd_event *ev);

#endif
