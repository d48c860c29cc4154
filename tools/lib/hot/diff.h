/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compare two recordings: what has another share of the instructions that ran, another
 * trip count or another probability. Functions are the same if their names and the names
 * of their binaries are the same. Of several of one name, hot/twins.h tells which. Loops
 * and branches are the same if their source lines are the same or, in the same build,
 * their offsets.
 */
#ifndef HOT_DIFF_H
#define HOT_DIFF_H

#include "hot/hot.h"

/* In place of a number: this recording does not have it. */
#define HOT_NOWHERE UINT32_MAX

/* A function or loop that is in one of the recordings or in both, or a branch that is in both. */
struct hot_change {
	/* its numbers in the two recordings, or HOT_NOWHERE */
	uint32_t old, now;
	/*
	 * For functions and loops: the share of all instructions that ran. For branches:
	 * the probability. 0 to 1, and 0 if the recording does not have it.
	 */
	double was, is;
	/* Chance alone would make such a difference in fewer than one of a thousand cases. */
	bool beyond;
};

enum { HOT_DIFF_FUNCTIONS, HOT_DIFF_LOOPS, HOT_DIFF_BRANCHES, HOT_NR_DIFFS };

/* Differences beyond chance come first. Among these, the largest differences come first. */
struct hot_diff {
	struct hot_change *v[HOT_NR_DIFFS];
	size_t nr[HOT_NR_DIFFS];
	size_t beyond[HOT_NR_DIFFS]; /* how many of them are beyond chance */
	/*
	 * How many loops and branches are not compared, of both recordings. They are in two
	 * builds of a binary, without names and lines, so their offsets have nothing in common.
	 */
	size_t left_out[HOT_NR_DIFFS];
	const char *other_build; /* such a binary; NULL: there is none */
	/*
	 * What is the most of what ran in the old recording and in the new one, of the
	 * binaries of which the other one has no function: a build under another name may
	 * be among them. NULL: there is none.
	 */
	struct hot_alone {
		const char *binary;
		double share; /* of all instructions that ran, 0 to 1 */
	} alone[2];
};

/*
 * Compare two recordings. Before, call hot_find() for both. Both must be counted with
 * HOT_ALL and in the same way. Returns false if out of memory. Free *diff with
 * hot_diff_free() in each case.
 */
bool hot_diff(const struct hot *old, const struct hot *now, struct hot_diff *diff);

void hot_diff_free(struct hot_diff *diff);

/*
 * Returns the number of the place of a loop or of a branch. which is HOT_DIFF_LOOPS or
 * HOT_DIFF_BRANCHES, and number is not HOT_NOWHERE.
 */
uint32_t hot_diff_place(unsigned int which, const struct hot *hot, uint32_t number);

/*
 * Returns whether the intervals of two trip counts do not overlap. Returns false if
 * nothing is known about one of them.
 */
bool hot_trips_differ(const struct hot_trips *a, const struct hot_trips *b);

#endif
