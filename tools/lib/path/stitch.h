/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of one thread that overlap: how much of a branch stack was in the one
 * before it already.
 *
 * Equal records do not prove that nothing came in between: a loop leaves the same
 * ones again and again. That fewer branches than the stack holds were taken since
 * has to be known from elsewhere, by the sample's period.
 */
#ifndef PATH_STITCH_H
#define PATH_STITCH_H

#include "path/path.h"
#include "perfdata/perfdata.h"

enum path_stitch_mode {
	/*
	 * Where the event says it: it counts cycles, instructions or branches,
	 * fewer of them than records in the stack, and nothing was lost since.
	 */
	PATH_STITCH_AUTO,
	PATH_STITCH_ALWAYS, /* the caller knows that samples overlap */
	PATH_STITCH_NEVER,
};

/* What path_stitch_sample() returns beside a number of new transfers. */
enum {
	PATH_STITCH_NONE = -101, /* no overlap, or none that is certain */
	PATH_STITCH_AMBIGUOUS = -102, /* it fits in more than one way */
};

struct path_stitch;

/*
 * depth is the number of records that the hart has, 0 if it is not known.
 * NULL: out of memory.
 */
struct path_stitch *path_stitch_new(enum path_stitch_mode mode,
				    unsigned int depth);
void path_stitch_free(struct path_stitch *stitch);

/*
 * The next sample of any thread, in the order of time. lost is what the recording
 * has lost so far, by any count that grows. Returns how many of its transfers, the
 * youngest ones, are not in the sample of this thread before it, PATH_STITCH_NONE,
 * PATH_STITCH_AMBIGUOUS, or PD_ENOMEM.
 */
int path_stitch_sample(struct path_stitch *stitch, const struct pd_event *ev,
		       uint64_t lost);

/* What was lost between the sample given last and the one before of its thread. */
uint64_t path_stitch_lost(const struct path_stitch *stitch);

/*
 * What is kept for the thread of the sample given last, all 0 at first: where its
 * path ends, for the caller. Valid until the next sample.
 */
struct path_next *path_stitch_next(struct path_stitch *stitch);

#endif
