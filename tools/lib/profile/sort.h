/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorting by numbers of 64 bits, in time that grows with how many there are. */
#ifndef PROFILE_SORT_H
#define PROFILE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct prof_key {
	uint64_t key;
	uint32_t index; /* the caller's */
};

/* What is equal keeps its order. spare has room for nr, too. */
void prof_sort(struct prof_key *v, struct prof_key *spare, size_t nr);

#endif
