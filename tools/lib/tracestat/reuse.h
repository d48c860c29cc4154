/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reuse distances of lines of 64 bytes: how many different other lines were used since a
 * line was used the last time. A fully associative cache with N lines and LRU replacement
 * hits if the distance is less than N.
 *
 * Distances below `max` are exact. The others, and first uses, are counted together. The
 * number of lines that are used later than a line is the sum of marks in a Fenwick tree
 * over time. Each line has one mark, at its last use. When the time is used up, the newest
 * lines get the first marks, and all but `max` of them are forgotten.
 */
#ifndef TRACESTAT_REUSE_H
#define TRACESTAT_REUSE_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Lines of code and of data: 1 and 4 MiB, for which this takes 1.3 and 5 MiB. */
	TSTAT_REUSE_CODE_LINES = 1 << 14,
	TSTAT_REUSE_DATA_LINES = 1 << 16,
	/* Bin 0 is distance 0, bin 1 is 1, bin 2 is 2 and 3, bin 3 is 4 to 7, ... */
	TSTAT_REUSE_BINS = 18,
};

struct tstat_line {
	uint64_t number; /* the address, divided by the size of a line */
	uint32_t pid;
	uint32_t when; /* the time of its last use */
};

/* Set all members to 0 first, except max. */
struct tstat_reuse {
	uint32_t max; /* lines; a power of two, at most 1 << (TSTAT_REUSE_BINS - 2) */
	uint64_t bins[TSTAT_REUSE_BINS]; /* uses by their distance */
	uint64_t first; /* first uses, and, if `forgot` is set, those of forgotten lines */
	uint64_t far; /* other uses with a distance of max or more */
	bool forgot;
	struct tstat_line *v; /* room for 2 * max of these; NULL before the first use */
	uint32_t nr;
	uint32_t *owner; /* the line that was used at a time */
	uint32_t *tree; /* marks, from 1 on */
	uint32_t now;
	uint32_t last; /* the line that was used last */
	struct hash by_number;
};

#define TSTAT_REUSE_INIT(_max) { .max = (_max) }

/*
 * Use size bytes at an address: each line that they touch is used once, in the order of
 * addresses. No bytes count as one byte. Returns false if out of memory.
 */
bool tstat_reuse_use(struct tstat_reuse *reuse, uint32_t pid, uint64_t address,
		     unsigned int size);

/* Returns the smallest distance of a bin. */
static inline uint64_t tstat_reuse_least(unsigned int bin)
{
	return bin ? UINT64_C(1) << (bin - 1) : 0;
}

void tstat_reuse_free(struct tstat_reuse *reuse);

#endif
