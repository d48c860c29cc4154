/* SPDX-License-Identifier: GPL-2.0-only */
/* The counted steps by the binaries that they are of, for the profiles of many binaries. */
#ifndef PROFILE_PARTS_H
#define PROFILE_PARTS_H

#include "count/count.h"

struct prof_parts {
	/* by the number of a binary: where its steps begin in numbers; and the end of all */
	size_t *first;
	/* numbers of steps; one from a binary to another one is a part of both */
	size_t *numbers;
	size_t nr_binaries;
};

/* Returns false if out of memory. Call prof_parts_free() in either case. */
bool prof_parts_make(struct prof_parts *parts, const struct counts *counts, size_t nr_binaries);

/*
 * Store copies of the steps from or to binaries, each once, in part->steps, which the caller
 * frees. is_mine tells the binaries by their numbers. Returns false if out of memory.
 */
bool prof_parts_take(const struct prof_parts *parts, const struct counts *counts,
		     const bool *is_mine, struct counts *part);

void prof_parts_free(struct prof_parts *parts);

#endif
