/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The summary of a profile: how many of the largest counts make up which share of all.
 * Compilers use it to decide what is hot.
 */
#ifndef PROFILE_SUMMARY_H
#define PROFILE_SUMMARY_H

#include "profile/samples.h"

/* The same shares as LLVM and GCC 16 use. */
enum { PROF_NR_CUTOFFS = 16 };

struct prof_cut {
	uint32_t share; /* millionths of the total */
	/* the smallest of the counts that make up the share */
	uint64_t min_count;
	uint64_t nr_counts; /* how many these counts are */
};

struct prof_summary {
	uint64_t total, max; /* of all counts of lines */
	uint64_t max_head;
	uint64_t nr_counts;
	uint64_t nr_funcs; /* functions that were not inlined */
	struct prof_cut cut[PROF_NR_CUTOFFS];
};

/* Returns false if out of memory. */
bool prof_summary_make(struct prof_summary *sum, const struct prof_samples *s);

#endif
