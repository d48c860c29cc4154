/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of what the branch stacks have was in the stack before. A sample does not empty
 * the hart's buffer. If few branches pass a filter, the buffer still has those that the
 * sample before showed, and shows them again. Counts of them then tell how many samples
 * there were, and not how often a branch ran. Without a filter, the weights of the lines
 * correct this (weigh.h).
 *
 * A stack repeats the one before, of its event and thread, if its older part is the newer part
 * of that. A loop makes equal records again and again, so stacks may fit together in several
 * ways though all records are new. Only what fits in one way is taken as seen before.
 */
#ifndef COUNT_REPEATS_H
#define COUNT_REPEATS_H

#include "base/hash.h"
#include "perfdata/perfdata.h"

struct repeats_thread;

/* Set all members to 0 first. */
struct repeats {
	struct hash hash;
	struct repeats_thread *v;
	size_t nr, cap;
	uint64_t entries; /* of all stacks */
	uint64_t seen; /* those that the stack before had */
};

/* Add the stack of a sample. Returns false if out of memory. */
bool repeats_sample(struct repeats *repeats, const struct pd_event *ev);

void repeats_free(struct repeats *repeats);

#endif
