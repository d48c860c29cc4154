/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two recordings side by side: what has another share of what ran, other trips, or
 * another probability. Functions are the same by their names and their binaries' names;
 * what is in them by its line of source, or, in the same build, by its offset.
 */
#ifndef HOT_DIFF_H
#define HOT_DIFF_H

#include "hot/hot.h"

/* In place of a number: there is none in this recording. */
#define HOT_NOWHERE UINT32_MAX

/* Something in both recordings, or in one of them. */
struct hot_change {
	uint32_t old, now; /* its numbers, or HOT_NOWHERE */
	/*
	 * Of functions and loops the share of all instructions that ran, of branches the
	 * probability; 0 to 1, and 0 where there is none.
	 */
	double was, is;
	/*
	 * Would it be so by chance in fewer than one case of a thousand? Branches in one
	 * recording alone are never beyond chance, as nothing is known of the other.
	 */
	bool beyond;
};

enum { HOT_DIFF_FUNCTIONS, HOT_DIFF_LOOPS, HOT_DIFF_BRANCHES, HOT_NR_DIFFS };

/* Those that changed beyond chance first, and of these what changed most. */
struct hot_diff {
	struct hot_change *v[HOT_NR_DIFFS];
	size_t nr[HOT_NR_DIFFS];
	size_t beyond[HOT_NR_DIFFS]; /* how many of them are beyond chance */
};

/*
 * Both after hot_find(), with HOT_ALL and in the same way. False: out of memory. To be
 * freed in each case.
 */
bool hot_diff(const struct hot *old, const struct hot *now, struct hot_diff *diff);

void hot_diff_free(struct hot_diff *diff);

/* Do the intervals of their trips lie apart? False if nothing is known of one. */
bool hot_trips_differ(const struct hot_trips *a, const struct hot_trips *b);

#endif
