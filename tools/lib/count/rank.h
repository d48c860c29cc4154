/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened most often. */
#ifndef COUNT_RANK_H
#define COUNT_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct count_ranked {
	uint64_t count;
	uint32_t number; /* of what was counted */
};

struct count_list {
	struct count_ranked *v; /* the caller's to free */
	size_t nr;
	uint64_t sum; /* of all counts */
};

/* For qsort(): the most frequent first, and of what is as frequent the lower number. */
int count_most_first(const void *a, const void *b);

/*
 * A list of what happened at all, in that order. *counts is the count of number 0,
 * each next one is size bytes further on. False: out of memory.
 */
bool count_rank(struct count_list *list, const uint64_t *counts, size_t nr,
		size_t size);

#endif
