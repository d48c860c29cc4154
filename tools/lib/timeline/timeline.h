/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples as a timeline: each function from its call to its return, in the order in which
 * it ran, in the trace-event format of Chrome. Overlapping samples of a thread are joined.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "image/image.h"
#include "samples/samples.h"

#include <stdio.h>

/* What the axis counts. */
enum timeline_axis {
	TIMELINE_INSTRUCTIONS, /* of the thread, since its first sample */
	/* As the records have them. A record without cycles counts its instructions. */
	TIMELINE_CYCLES,
	/*
	 * The time of the recording, which the samples tell. Between two joined samples,
	 * all instructions take equally long. Before a sample that is not joined, they take
	 * as long as the joined ones do on average, or 1 ns.
	 */
	TIMELINE_TIME,
	TIMELINE_NR_AXES,
};

/* "instructions", ... */
const char *timeline_axis_name(enum timeline_axis axis);

struct timeline_stats {
	uint64_t samples; /* with transfers */
	uint64_t partial; /* left out, because their filter leaves out branches */
	uint64_t again; /* left out, because their event shows the same as another */
	uint64_t joined;
	uint64_t calls; /* of functions, that were written */
	uint64_t instructions;
	uint64_t older; /* of them, those that samples show again: path_stitch_older() */
	/*
	 * When everything is written: how many instructions ran, and how many of them are shown,
	 * each once. ran is 0 if it is not known.
	 */
	uint64_t ran, shown;
	uint64_t gaps; /* places where a thread's path has a break */
	uint64_t unknown[IMG_NR_STATES]; /* of them, where code is not known, by its state */
	uint64_t timed, untimed; /* TIMELINE_CYCLES: transfers with cycles, and without */
};

struct timeline;

/*
 * Begin. samples and file must exist as long as the timeline. With demangle, C++ functions
 * have the names of the source. Returns NULL if out of memory.
 */
struct timeline *timeline_new(struct samples *samples, enum timeline_axis axis,
			      bool demangle, FILE *file);

/* Take the next sample. Returns false if out of memory. */
bool timeline_sample(struct timeline *t, const struct pd_event *ev);

/*
 * Write the end: what still runs ends here. The caller looks whether the file could be
 * written. Returns false if out of memory.
 */
bool timeline_end(struct timeline *t);

const struct timeline_stats *timeline_stats(const struct timeline *t);

/* NULL is allowed. */
void timeline_free(struct timeline *t);

#endif
