/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording, from opening the events to the complete file. Who calls waits, by what
 * signals and clocks it likes:
 *
 *	if (!rcd_new(&rcd, &opts, &events, &error) &&
 *	    !rcd_open(rcd, 0, &notes) && !rcd_start(rcd, wake)) {
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

/*
 * Create the file. opts, the events, which are as of rcd_plan(), and error have to
 * outlive it: whichever function returns ERROR_*, *error has the text. Returns 0 or
 * ERROR_*, with *rcd NULL.
 */
int rcd_new(struct rcd **rcd, const struct rcd_opts *opts,
	    struct rcd_events *events, struct error *error);

/*
 * Open the events: of the process `command`, where the options attach to nothing. An
 * event that may not see the kernel is changed to see user code alone, and one that is
 * optional goes where it cannot be opened, which is noted. Returns 0 or ERROR_*.
 */
int rcd_open(struct rcd *rcd, pid_t command, struct notes *notes);

/*
 * Write the header, and what ran before, and start; a command's events start when it
 * is executed. rcd_wait() ends when the file wake can be read. Returns 0 or ERROR_*.
 */
int rcd_start(struct rcd *rcd, int wake);

/*
 * Wait until there is something to write, or for timeout ms; -1: for ever. Returns
 * false when all that was followed has ended.
 */
bool rcd_wait(struct rcd *rcd, int timeout);

/* No more events from here on; what came before is still to be written. */
void rcd_stop(struct rcd *rcd);

/* Write what is there. Returns 0 or ERROR_*. */
int rcd_drain(struct rcd *rcd);

/* Write what was lost, and complete the file. Returns 0 or ERROR_*. */
int rcd_finish(struct rcd *rcd);

/* What was recorded so far. What was lost in all is known after rcd_finish(). */
struct rings_stats rcd_stats(const struct rcd *rcd);

/* ns from rcd_start() to rcd_finish(), and of the clock of recordings. */
uint64_t rcd_span(const struct rcd *rcd);
uint64_t rcd_now(void);

/* A file that is not complete goes. NULL is allowed. */
void rcd_free(struct rcd *rcd);

#endif
