// SPDX-License-Identifier: GPL-2.0-only
#include "tally.h"

#include <inttypes.h>
#include <stdio.h>

static void count(uint64_t n, const char *what)
{
	if (n)
		fprintf(stderr, "%12" PRIu64 " %s\n", n, what);
}

void tally_print(const struct tally *tally)
{
	unsigned int i;

	fprintf(stderr, "%12" PRIu64 " samples used\n", tally->used);
	count(tally->empty, "samples with an empty branch stack");
	count(tally->no_stack, "samples of an event without branch stacks");
	count(tally->partial,
	      "samples whose branch filter leaves out branches; record with -b or -j any");
	count(tally->joined, "samples joined to the one before");
	count(tally->ambiguous,
	      "samples that overlap in more than one way; record with -j any,u,hw_index");
	fprintf(stderr, "%12" PRIu64 " transfers\n", tally->transfers);
	fprintf(stderr, "%12" PRIu64 " instructions\n", tally->insns);
	if (tally->used)
		fprintf(stderr,
			"%12" PRIu64 " samples without a break (%.1f %%)\n",
			tally->unbroken, 100.0 * tally->unbroken / tally->used);
	count(tally->asides, "events beside the branch stacks");
	count(tally->syscalls, "system calls");
	count(tally->unknown_syscalls,
	      "system calls whose number is not known; record -e raw_syscalls:* too");
	count(tally->accesses, "accesses of other bus masters");
	count(tally->left_out, "accesses of other bus masters left out");
	count(tally->unknown_accesses,
	      "accesses of other harts by instructions that are not known");
	count(tally->not_primary, "samples of other harts left out");
	count(tally->away, "samples taken in a mode that was not recorded");
	count(tally->guessed_causes, "traps whose cause is not known");
	for (i = 0; i < PATH_NR_BREAKS; i++)
		if (i != PATH_UNKNOWN_CODE && tally->breaks[i])
			fprintf(stderr, "%12" PRIu64 " breaks: %s\n",
				tally->breaks[i], path_break_text(i));
	for (i = 0; i < IMG_NR_STATES; i++)
		if (tally->unknown[i])
			fprintf(stderr, "%12" PRIu64 " breaks: %s: %s\n",
				tally->unknown[i],
				path_break_text(PATH_UNKNOWN_CODE),
				img_state_text(i));
}
