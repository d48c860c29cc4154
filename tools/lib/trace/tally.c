// SPDX-License-Identifier: GPL-2.0-only
#include "trace/tally.h"

#include <inttypes.h>

void tally_note(const struct tally *tally, struct notes *notes)
{
	const uint64_t known = tally->faults + tally->open_faults +
			       tally->apart_faults + tally->early_faults;
	unsigned int i;

	notes_add(notes, tally->used, "samples used");
	notes_count(notes, tally->empty, "samples with an empty branch stack");
	notes_count(notes, tally->no_stack,
		    "samples of an event without branch stacks");
	notes_count(notes, tally->partial,
		    "samples whose branch filter leaves out branches; record with -b or -j any");
	notes_count(notes, tally->joined, "samples joined to the one before");
	notes_count(notes, tally->ambiguous,
		    "samples that overlap in more than one way; record with -j any,u,hw_index");
	notes_add(notes, tally->transfers, "transfers");
	notes_add(notes, tally->insns, "instructions");
	if (tally->used)
		notes_add(notes, tally->unbroken,
			  "samples without a break, of %" PRIu64 " used",
			  tally->used);
	notes_count(notes, tally->asides, "events beside the branch stacks");
	notes_count(notes, tally->faults, "page faults with their address");
	notes_count(notes, tally->bare_faults,
		    "page faults whose address is not known%s",
		    tally->told_faults ?
			    ": several events could be theirs" :
			    "; record -e page-faults/period=1/ -d --user-regs too");
	notes_count(
		notes, tally->open_faults,
		"page faults left out: it is not certain when their instruction faulted; record --user-regs too");
	notes_count(
		notes, tally->early_faults,
		"page faults left out: they are before the first sample of their thread");
	notes_count(
		notes, tally->apart_faults,
		"page faults left out: they are between samples that do not overlap; record with a shorter period");
	/* Samples that overlap may show one twice. */
	if (tally->told_faults > known)
		notes_add(
			notes, tally->told_faults - known,
			"page faults left out: the trace does not show their instruction");
	notes_count(notes, tally->syscalls, "system calls");
	notes_count(notes, tally->unknown_syscalls,
		    "system calls whose number is not known; record -e raw_syscalls:* too");
	notes_count(notes, tally->accesses, "accesses of other bus masters");
	notes_count(notes, tally->left_out,
		    "accesses of other bus masters left out");
	notes_count(notes, tally->unknown_accesses,
		    "accesses of other harts by instructions that are not known");
	notes_count(notes, tally->not_primary, "samples of other harts left out");
	notes_count(notes, tally->away,
		    "samples taken in a mode that was not recorded");
	notes_count(notes, tally->guessed_causes,
		    "traps whose cause is not known");
	for (i = 0; i < PATH_NR_BREAKS; i++)
		if (i != PATH_UNKNOWN_CODE)
			notes_count(notes, tally->breaks[i], "breaks: %s",
				    path_break_text(i));
	for (i = 0; i < IMG_NR_STATES; i++)
		notes_count(notes, tally->unknown[i], "breaks: %s: %s",
			    path_break_text(PATH_UNKNOWN_CODE),
			    img_state_text(i));
}
