/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sort steps in place, because they are too many for a second array. Sources and targets
 * must be less than 2^32. COUNT_MISPREDICTED in a source does not matter.
 */
#ifndef PROFILE_SORT_H
#define PROFILE_SORT_H

#include "count/count.h"

enum prof_order {
	PROF_BY_LINE, /* by target, then by line */
	PROF_BY_BRANCH, /* by source, then by target, then by line */
};

void prof_sort(struct count_step *v, size_t nr, enum prof_order order);

#endif
