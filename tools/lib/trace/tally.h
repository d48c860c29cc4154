/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of a recording's samples on the way to STF, in numbers. */
#ifndef TRACE_TALLY_H
#define TRACE_TALLY_H

#include "base/notes.h"
#include "image/image.h"
#include "path/path.h"

struct tally {
	/* Samples. */
	uint64_t used;
	uint64_t unbroken;
	uint64_t joined; /* go on where the one before ended */
	uint64_t ambiguous; /* overlap with it in more than one way */
	uint64_t away; /* taken in a mode that was not recorded */
	uint64_t empty;
	uint64_t no_stack; /* of an event without branch stacks */
	uint64_t partial; /* of an event that does not record all branches */
	uint64_t not_primary; /* of another hart */

	uint64_t transfers;
	uint64_t breaks[PATH_NR_BREAKS];
	uint64_t unknown[IMG_NR_STATES]; /* PATH_UNKNOWN_CODE, by reason */

	uint64_t asides; /* side events */
	uint64_t told_faults; /* page faults, by these */
	uint64_t open_faults; /* it is not certain when their instruction faulted */
	uint64_t unknown_accesses; /* of another hart, by what is not known */

	/* Of all traces, when these are complete. */
	uint64_t insns;
	uint64_t syscalls;
	uint64_t unknown_syscalls;
	uint64_t faults; /* of pages, with their address */
	uint64_t bare_faults; /* and without */
	uint64_t guessed_causes;
	uint64_t accesses;
	uint64_t left_out; /* accesses */
};

/* The same in words, but for what there is none of. */
void tally_note(const struct tally *tally, struct notes *notes);

#endif
