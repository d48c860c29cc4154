/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ssctr diff` compares, and how it shows the result. */
#ifndef SSCTR_DIFF_H
#define SSCTR_DIFF_H

#include "hot/diff.h"
#include "page.h"
#include "recording.h"

/* Both recordings, the old one first. */
struct both {
	struct rec rec[2];
	struct hot hot[2];
	struct hot_diff diff;
	struct notes notes; /* what could not be compared */
	bool all; /* also changes that may be chance */
	uint64_t limit; /* of each kind */
};

/* The plural of each kind, which is also its key in JSON. */
extern const char *const diff_names[HOT_NR_DIFFS];

/* How many changes of a kind are wanted, before the limit. */
static inline size_t diff_wanted(const struct both *both, unsigned int which)
{
	return both->all ? both->diff.nr[which] : both->diff.beyond[which];
}

/* Where it is: in the new recording, unless it is only in the old one. */
const struct hot *diff_where(const struct both *both, const struct hot_change *change,
			     uint32_t *number);

/* The mean of a loop's trips, or "-". */
void diff_trips(const struct hot *hot, uint32_t number, char mean[24]);

/* One page, complete in itself, of struct both. */
extern const struct page_parts diff_page;

#endif
