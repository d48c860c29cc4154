/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many of the largest counts make up which share of all: by this compilers
 * tell what is hot.
 */
#ifndef PROFILE_SUMMARY_H
#define PROFILE_SUMMARY_H

#include "profile/samples.h"

/* As many as, and those that, LLVM and GCC 16 have. */
enum { PROF_NR_CUTOFFS = 16 };

struct prof_cut {
	uint32_t share; /* millionths of the total */
	uint64_t min_count; /* of the counts that make it up */
	uint64_t nr_counts; /* how many these are */
};

struct prof_summary {
	uint64_t total, max; /* of all counts of lines */
	uint64_t max_head;
	uint64_t nr_counts;
	uint64_t nr_funcs; /* not inlined */
	struct prof_cut cut[PROF_NR_CUTOFFS];
};

/* False: out of memory. */
bool prof_summary_make(struct prof_summary *sum, const struct prof_samples *s);

#endif
