// SPDX-License-Identifier: GPL-2.0-only
#include "trace/outcome.h"
#include "origin/coverage.h"
#include "path/stitch.h"
#include "samples/samples.h"

#include <inttypes.h>

#define FAULTS_MISSING                                                         \
	": not each page fault was recorded; record -e page-faults/period=1/ -d --user-regs without --filter"

/* How to get more, by what the recording has. */
static const char *const syscall_hints[] = {
	[SIDE_NO_EVENTS] = "; record -e raw_syscalls:* too",
	[SIDE_SOME_EVENTS] =
		": not each call was recorded; record -e raw_syscalls:* without -F, -c and --filter",
	[SIDE_ALL_EVENTS] = "",
};
#define SYSCALLS_UNCERTAIN                                                     \
	": samples were taken in the kernel, or seccomp denied calls; record with a shorter period, so that samples overlap"
static const char *const signal_hints[] = {
	[SIDE_NO_EVENTS] =
		"without signals: a handler that a signal starts anew is not noticed; record -e signal:signal_deliver --user-regs too",
	[SIDE_SOME_EVENTS] =
		"of some signals: a handler that a signal starts anew is not noticed; record -e signal:signal_deliver --user-regs without -F, -c and --filter",
};
static const char *const fault_hints[] = {
	[SIDE_NO_EVENTS] = "; record -e page-faults/period=1/ -d --user-regs too",
	[SIDE_SOME_EVENTS] = FAULTS_MISSING,
	[SIDE_ALL_EVENTS] = ": none or several events could be theirs",
};

static void note_instructions(const struct outcome *outcome, double least,
			      struct notes *notes)
{
	if (outcome->ran || outcome->windows)
		notes_add(notes, outcome->insns, "instructions");
	else if (outcome->uncountable)
		notes_add(notes, outcome->insns,
			  "instructions, whose share of what ran is not known");
	else
		notes_add(notes, outcome->insns,
			  "instructions, whose share of what ran is not known; `ssctr record -e instructions%s` records it",
			  outcome->modes);
	notes_count(notes, outcome->interrupted,
		    "instructions that did not execute, because an event stopped them");
	origin_note_held(outcome->held, outcome->ran, least, outcome->remedy, notes);
	notes_count(notes, outcome->older, "instructions %s",
		    outcome->never_joined ? ORIGIN_UNJOINED : ORIGIN_UNPROVEN);
}

static const char *page_faults(uint64_t nr)
{
	return nr == 1 ? "page fault" : "page faults";
}

void outcome_note(const struct outcome *outcome, double least,
		  struct notes *notes)
{
	const uint64_t known = outcome->faults + outcome->open_faults +
			       outcome->apart_faults + outcome->early_faults;
	unsigned int i;

	notes_add(notes, outcome->used, "samples used");
	notes_count(notes, outcome->unordered,
		    "samples without a time, so their order in the trace may be wrong; record with -T");
	notes_count(notes, outcome->no_stack,
		    "samples of an event without branch stacks");
	notes_count(notes, outcome->partial,
		    "samples whose branch filter leaves out branches; record with -b or -j any");
	notes_count(notes, outcome->again, SAMPLES_AGAIN);
	notes_count(notes, outcome->joined, "samples joined to the one before");
	notes_count(notes, outcome->ambiguous,
		    "samples that overlap in more than one way; record with -j any,u,hw_index");
	notes_add(notes, outcome->transfers, "transfers");
	/* A window ends where it is long enough. */
	if (outcome->new_transfers > outcome->transfers && !outcome->windows)
		notes_add(notes, outcome->new_transfers - outcome->transfers,
			  "transfers left out: it is not certain what ran before or after them");
	note_instructions(outcome, least, notes);
	/* Windows have none. */
	if (outcome->used && !outcome->windows)
		notes_add(notes, outcome->unbroken,
			  "samples without a break, of %" PRIu64 " used",
			  outcome->used);
	notes_count(notes, outcome->asides, "events beside the branch stacks");
	notes_count(notes, outcome->faults, "page faults with their address");
	notes_count(notes, outcome->bare_faults,
		    "page faults whose address is not known%s", fault_hints[outcome->has_faults]);
	notes_count(
		notes, outcome->open_faults,
		"%s left out: it is not certain when the instruction faulted; record %s",
		page_faults(outcome->open_faults), outcome->lacks_regs ? "--user-regs too" : "with a shorter period");
	notes_count(
		notes, outcome->early_faults,
		"%s left out: before the first sample of the thread",
		page_faults(outcome->early_faults));
	notes_count(notes, outcome->apart_faults,
		    "%s left out: between samples that %s", page_faults(outcome->apart_faults),
		    outcome->never_joined ?
			    "do not overlap, or that --stitch never does not join; record with a shorter period, and leave out --stitch never" :
			    "do not overlap; record with a shorter period");
	/* Samples that overlap may show one twice. */
	if (outcome->told_faults > known)
		notes_add(
			notes, outcome->told_faults - known, "%s left out%s",
			page_faults(outcome->told_faults - known),
			outcome->has_faults == SIDE_ALL_EVENTS ?
				": the trace does not show their instruction" : FAULTS_MISSING);
	notes_count(notes, outcome->signals, "signals that started a handler");
	if (outcome->has_signals != SIDE_ALL_EVENTS)
		notes_count(notes, outcome->breaks[PATH_SIGNAL_RETURN],
			    "returns of signal handlers, in a recording %s",
			    signal_hints[outcome->has_signals]);
	notes_count(notes, outcome->syscalls, "system calls");
	notes_count(notes, outcome->unknown_syscalls, "system calls whose number is not known%s",
		    outcome->has_syscalls == SIDE_ALL_EVENTS && outcome->uncertain_syscalls ?
			    SYSCALLS_UNCERTAIN : syscall_hints[outcome->has_syscalls]);
	notes_count(notes, outcome->accesses, "accesses of other bus masters");
	notes_count(notes, outcome->untold,
		    "traces with more files than a trace tells; the functions of further files have no names");
	notes_count(notes, outcome->left_out,
		    "accesses of other bus masters left out");
	notes_count(notes, outcome->unknown_memory,
		    "pieces of memory for other bus masters left out, because the recording does not tell them whole");
	notes_count(notes, outcome->unknown_accesses,
		    "accesses of other harts by instructions that are not known");
	notes_count(notes, outcome->not_primary, "samples of other harts left out");
	notes_count(notes, outcome->away,
		    "samples taken in a mode that was not recorded");
	notes_count(notes, outcome->misread,
		    "instructions that readers decode wrongly, because the trace has programs of 32 and of 64 bits, and its header has place for one; select some of them with --pid");
	notes_count(notes, outcome->guessed_causes,
		    "traps whose cause is not known");
	for (i = 0; i < PATH_NR_BREAKS; i++)
		if (i != PATH_UNKNOWN_CODE)
			notes_count(notes, outcome->breaks[i], "breaks: %s",
				    path_break_text(i));
	for (i = 0; i < IMG_NR_STATES; i++)
		notes_count(notes, outcome->unknown[i], "breaks: %s: %s",
			    path_break_text(PATH_UNKNOWN_CODE),
			    img_state_text(i));
}
