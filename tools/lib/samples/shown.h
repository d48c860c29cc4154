/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many of the instructions that ran an output shows: those of the paths of its samples, each
 * once, by thread.
 */
#ifndef SAMPLES_SHOWN_H
#define SAMPLES_SHOWN_H

#include "path/stitch.h"
#include "samples/samples.h"

/* Set all members to 0 first. */
struct shown {
	struct shown_thread *threads;
	size_t nr, cap;
	struct hash by_tid;
	uint64_t older; /* those that samples show again: path_stitch_older() */
};

/*
 * Take the path of a sample, which stitch has just had: it has executed insns instructions.
 * joined: it goes on from the thread's sample before. Returns false if out of memory.
 */
bool shown_add(struct shown *shown, const struct path_stitch *stitch, const struct pd_event *ev,
	       uint64_t insns, bool joined);

/*
 * Call these two when everything is read. Returns the one event of the paths, if the kernel's
 * count of it is the number of instructions that ran. Otherwise returns NULL: the share that is
 * shown is not known.
 */
const struct pd_attr *shown_event(const struct samples *s);

/* Returns how many instructions are shown. event is that of shown_event(). */
uint64_t shown_insns(const struct shown *shown, const struct samples *s,
		     const struct pd_attr *event);

void shown_free(struct shown *shown);

#endif
