/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of what happened with the samples of a recording on their way to STF. */
#ifndef TRACE_OUTCOME_H
#define TRACE_OUTCOME_H

#include "base/notes.h"
#include "image/image.h"
#include "path/path.h"
#include "side/side.h"

#include <stdbool.h>

struct outcome {
	/* Samples. */
	uint64_t used;
	uint64_t unbroken;
	uint64_t unordered; /* those whose order is not known */
	uint64_t joined; /* those that continue where the sample before ended */
	bool never_joined; /* the caller wants none */
	uint64_t ambiguous; /* those that overlap with it in several ways */
	/* those that were taken in a mode that was not recorded */
	uint64_t away;
	uint64_t empty;
	uint64_t no_stack; /* those of an event without branch stacks */
	/* those of an event that does not record all branches */
	uint64_t partial;
	uint64_t again; /* those of an event that shows the branches of another once more */
	uint64_t not_primary; /* those of another hart */

	uint64_t transfers; /* in the trace */
	uint64_t new_transfers; /* in the samples, each once where these are joined */
	uint64_t breaks[PATH_NR_BREAKS];
	/* breaks because of PATH_UNKNOWN_CODE, by reason */
	uint64_t unknown[IMG_NR_STATES];

	uint64_t asides; /* side events */
	uint64_t told_faults; /* page faults that side events told */
	uint64_t signals; /* those that started a handler */
	enum side_extent has_signals, has_faults, has_syscalls; /* in the recording */
	/* those for which it is not certain when the instruction faulted */
	uint64_t open_faults;
	/* those between samples that are not joined, and before the first sample */
	uint64_t apart_faults, early_faults;
	bool lacks_regs; /* the user's registers could tell it, and were not recorded */
	/* accesses of another hart of which something is not known */
	uint64_t unknown_accesses;

	/* Of all traces, when these are complete. */
	uint64_t insns;
	uint64_t interrupted; /* those that did not execute, because of an event */
	uint64_t misread; /* those that readers decode wrongly: see run.h */
	uint64_t older; /* those that samples show again: path_stitch_older() */
	uint64_t syscalls;
	uint64_t unknown_syscalls;
	/* some of these have side events, and it is not certain which */
	bool uncertain_syscalls;
	uint64_t faults; /* page faults with their address */
	uint64_t bare_faults; /* page faults without their address */
	uint64_t guessed_causes;
	uint64_t accesses;
	uint64_t left_out; /* accesses that were left out */
	uint64_t unknown_memory; /* pieces of memory for bus masters, of which it is not known where */
	uint64_t untold; /* traces that do not tell all files */
	/* the kernel's count of the instructions that ran; 0: it is not known */
	uint64_t ran;
	uint64_t held; /* of these, those in the traces, each once */
	/*
	 * It was recorded or could have been, but the options select a part without a count,
	 * or the writer was killed before it wrote the counts.
	 */
	bool uncountable;
	const char *modes; /* that were recorded, behind the name of an event: ":u", ":k" or "" */
	const char *remedy; /* samples_loss_remedy() */
	bool windows; /* the traces hold windows, which say what they stand for */
};

/*
 * Add the counts to the notes, in words. Counts of 0 are left out. If the traces hold less
 * than the share least of what ran, a note says how to get more.
 */
void outcome_note(const struct outcome *outcome, double least,
		  struct notes *notes);

#endif
