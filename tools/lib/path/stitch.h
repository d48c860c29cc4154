/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overlapping samples of one thread: which records of a branch stack are new, and which
 * ones the sample before already had.
 *
 * Equal records do not prove that nothing happened in between, because a loop leaves the
 * same records again and again. It must be known from something else that fewer branches
 * were taken than the stack holds. The period of the samples proves this.
 */
#ifndef PATH_STITCH_H
#define PATH_STITCH_H

#include "path/path.h"
#include "perfdata/perfdata.h"

enum path_stitch_mode {
	/*
	 * Join samples if the event proves that they overlap. It proves this if it counts
	 * cycles, instructions or branches, if its period is smaller than the number of
	 * records that the stack can hold, and if nothing was lost in between.
	 */
	PATH_STITCH_AUTO,
	PATH_STITCH_ALWAYS, /* the caller knows that the samples overlap */
	PATH_STITCH_NEVER,
};

/* path_stitch_sample() returns one of these instead of a number of new transfers. */
enum {
	/* there is no overlap, or none that is certain */
	PATH_STITCH_NONE = -101,
	/* the samples fit together in several ways */
	PATH_STITCH_AMBIGUOUS = -102,
};

struct path_stitch;

/*
 * Make the object. depth is the number of records that the hart's buffer can hold, or 0
 * if it is not known. pd is the recording that the samples are from: if none of its events
 * can prove an overlap, no branch stacks are kept. NULL: the events are not known yet.
 * Returns NULL if out of memory. path_stitch_free() accepts NULL.
 */
struct path_stitch *path_stitch_new(enum path_stitch_mode mode,
				    unsigned int depth, const struct pd *pd);
void path_stitch_free(struct path_stitch *stitch);

/*
 * Take the next sample, of any thread. Pass the samples in the order of time. lost is a
 * growing count of what the recording has lost so far. Returns the number of the newest
 * transfers that the thread's sample before does not have. Otherwise returns
 * PATH_STITCH_NONE, PATH_STITCH_AMBIGUOUS or PD_ENOMEM.
 */
int path_stitch_sample(struct path_stitch *stitch, const struct pd_event *ev,
		       uint64_t lost);

/*
 * Returns how often the event of the last sample has happened since the sample of the same
 * thread before it: a period, and one more for each sample that was lost in between.
 */
uint64_t path_stitch_since(const struct path_stitch *stitch, const struct pd_event *ev);

/*
 * Returns how many of `insns` instructions of a path that does not go on from the thread's
 * sample before are older than that, and so may have been shown already: those beyond what the
 * event counted since then. 0 if the event counts something else, or if there is no sample
 * before.
 */
uint64_t path_stitch_older(const struct path_stitch *stitch, const struct pd_event *ev,
			   uint64_t insns);

/*
 * A signal was delivered to the thread of the event. Pass it in the order of time, between
 * the samples. path_stitch_decode() then shows no path through it. The newest
 * PATH_STITCH_SIGNALS are kept for each thread. Returns 0 or PD_ENOMEM.
 */
enum { PATH_STITCH_SIGNALS = 256 };
int path_stitch_signal(struct path_stitch *stitch, const struct pd_event *ev,
		       const struct path_signal *signal);

/*
 * A thread has begun or ended, as a FORK or EXIT event tells. Pass it in the order of time,
 * between the samples. What is kept of a thread is freed when PATH_STITCH_ENDED others have
 * ended after it, because samples of its last moments may follow. stitch is a path_stitch:
 * samples.task takes this function as it is.
 */
enum { PATH_STITCH_ENDED = 64 };
void path_stitch_task(void *stitch, const struct pd_event *ev);

/* How a sample goes on from its thread's sample before. */
struct path_stitched {
	bool joined; /* the path goes on; else its first transfer stands alone */
	bool ambiguous; /* PATH_STITCH_AMBIGUOUS */
	unsigned int nr_new; /* transfers that the sample before does not have */
	unsigned int nr_transfers; /* the newest ones, of which the path is */
};

/*
 * Take the next sample as path_stitch_sample() does, and find its path with *path, from
 * where the thread's path ends to the sample's ip. connected is false if the caller has
 * shown another thread since: the path then starts anew there. Returns the number of runs,
 * or PD_ENOMEM.
 */
int path_stitch_decode(struct path_stitch *stitch, struct path *path,
		       const struct pd_event *ev, uint64_t lost, bool connected,
		       struct path_stitched *found);

#endif
