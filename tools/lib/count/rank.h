/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of what happened most often. */
#ifndef COUNT_RANK_H
#define COUNT_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct count_ranked {
	uint64_t count;
	uint32_t number; /* the number of what was counted */
};

struct count_list {
	struct count_ranked *v; /* the caller frees it */
	size_t nr;
	uint64_t sum; /* the sum of all counts */
};

/*
 * A comparison for qsort(): the most frequent first. If two counts are equal, the lower
 * number comes first.
 */
int count_most_first(const void *a, const void *b);

/*
 * Make a list of everything that happened at least once, in the order of
 * count_most_first(). *counts is the count of number 0. The next counts follow at a
 * distance of size bytes. Returns false if out of memory.
 */
bool count_rank(struct count_list *list, const uint64_t *counts, size_t nr,
		size_t size);

#endif
