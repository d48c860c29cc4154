/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make a recording, from opening the events to the complete file. The caller waits, with
 * signals and clocks of its own:
 *
 *	if (!rcd_new(&rcd, &opts, &events, &error) &&
 *	    !rcd_open(rcd, NULL, &notes) && !rcd_start(rcd, wake)) {
 *		while (rcd_wait(rcd, timeout) && !rcd_drain(rcd))
 *			;
 *		rcd_finish(rcd);
 *	}
 *	rcd_free(rcd);
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "recorder/plan.h"
#include "recorder/rings.h"

struct rcd;
struct rcd_command;

/*
 * Create the file. The events come from rcd_plan(). opts, events and error must exist as
 * long as the object. *error has the text if this function or a later one returns
 * ERROR_*. Returns 0, or ERROR_* with NULL in *rcd.
 */
int rcd_new(struct rcd **rcd, const struct rcd_opts *opts,
	    struct rcd_events *events, struct error *error);

/*
 * Open the events. If the options do not attach to anything, the events belong to the
 * process of the command. It must exist as long as the object. NULL, or without a process:
 * there is none. If an event is not allowed to see the kernel, it is changed to see only
 * user code. An optional event that cannot be opened is left out. Both are notes. Returns 0
 * or ERROR_*.
 */
int rcd_open(struct rcd *rcd, const struct rcd_command *command, struct notes *notes);

/*
 * Write the header and what ran before, and start. SIGPIPE must be ignored. The events of a
 * command start when it is executed. rcd_wait() also ends when the descriptor wake can be
 * read. Returns 0 or ERROR_*.
 */
int rcd_start(struct rcd *rcd, int wake);

/*
 * Wait until there is something to write, but at most timeout ms. -1 means no limit.
 * Returns false when everything that was recorded has ended.
 */
bool rcd_wait(struct rcd *rcd, int timeout);

/*
 * Returns 0, or the errno with which the output refused to take more. The recording then
 * holds what came before. Later samples are dropped, and counted as lost in the file.
 */
int rcd_full(const struct rcd *rcd);

/*
 * Returns the number of samples that were dropped because the output was full. Call it
 * after rcd_finish().
 */
uint64_t rcd_dropped(const struct rcd *rcd);

/* Returns the number of bytes that the whole recording has, or would have if it ended now. */
uint64_t rcd_size(const struct rcd *rcd);

/*
 * Stop the events. What they have recorded must still be written. The CPUs that the
 * recording lacks from some time on are then known.
 */
void rcd_stop(struct rcd *rcd);

/* Write what has been recorded. That the output is full is no error. Returns 0 or ERROR_*. */
int rcd_drain(struct rcd *rcd);

/*
 * Write what was lost, and complete the file. Returns 0 or ERROR_*. If the output is full and
 * has no place for that, an incomplete file stays beside it: see pdw_drop_when_full().
 */
int rcd_finish(struct rcd *rcd);

/*
 * Returns the counts of the recording so far. The total of what was lost is known after
 * rcd_finish().
 */
struct rings_stats rcd_stats(const struct rcd *rcd);

/*
 * Returns how many of the lost records were no samples but told of mappings, processes and
 * threads. It is known after rcd_finish().
 */
uint64_t rcd_lost_tracking(const struct rcd *rcd);

/*
 * rcd_cpus_off() returns how many of the CPUs that are recorded were switched off at some
 * time: the kernel records nothing there from then on. rcd_cpus_on() returns how many CPUs
 * came online later, and are therefore not recorded. Both are known after rcd_stop(). The
 * file has these CPUs, too, so that its readers know that the counts are not whole.
 */
unsigned int rcd_cpus_off(const struct rcd *rcd);
unsigned int rcd_cpus_on(const struct rcd *rcd);

/*
 * Returns whether the events with branch stacks were enabled, and never on, because other
 * events had the counters or the branch records. It is known after rcd_finish().
 */
bool rcd_never_on(const struct rcd *rcd);

/* Returns whether these events were on, and counted nothing. Known after rcd_finish(), too. */
bool rcd_counted_nothing(const struct rcd *rcd);

/*
 * rcd_windows() returns the number of windows that have begun. rcd_windows_passed() returns
 * the number of intervals without one, because the window before ended too late.
 * rcd_windowless() returns the number of threads and processes that the recorded threads
 * started, and that therefore have no windows.
 */
uint64_t rcd_windows(const struct rcd *rcd);
uint64_t rcd_windows_passed(const struct rcd *rcd);
uint64_t rcd_windowless(const struct rcd *rcd);

/*
 * rcd_span() returns the ns from rcd_start() to rcd_finish(). rcd_now() returns the time
 * of the recording's clock in ns.
 */
uint64_t rcd_span(const struct rcd *rcd);
uint64_t rcd_now(void);

/* Free the object. A file that is not complete is removed. rcd may be NULL. */
void rcd_free(struct rcd *rcd);

#endif
