/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of one binary, at the addresses at which it was linked: branches, and the
 * ranges of instructions that ran in a straight line between them.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "profile/binary.h"
#include "profile/places.h"

/* In place of an address: it lies in another binary, or is not known. */
#define PROF_OUTSIDE UINT64_MAX
/* In place of a source: a trap or a trap return led there, which is not a branch. */
#define PROF_TRAP (UINT64_MAX - 1)

struct prof_range {
	/* addresses of the first and the last instruction */
	uint64_t start, end;
	uint64_t count;
};

struct prof_branch {
	uint64_t from, to; /* one of them may be PROF_OUTSIDE */
	uint64_t count;
	uint64_t mispredicted;
};

/*
 * A branch, or PROF_TRAP in its place, and the straight line that it began. The line
 * reaches up to the instruction at end. PROF_OUTSIDE: the end is not known.
 */
struct prof_trace {
	uint64_t from, to, end;
	uint64_t count;
};

/* Of an indirect call, a target outside of the binary. */
struct prof_away {
	uint64_t from;
	count_place to;
	uint64_t count;
};

struct prof {
	const struct prof_code *code;
	const struct prof_binary *binaries; /* by number, for the places in aways */
	struct prof_range *ranges; /* sorted, each range once */
	size_t nr_ranges, nr_branches;
	struct prof_away *aways; /* sorted by from */
	size_t nr_aways, cap_aways;
	/* What prof_next_*() read: the steps of counts, as offsets from base. */
	uint64_t base;
	bool weighed; /* transfers count by their weights, not each as 1 as in other tools */
	struct count_step *steps; /* ordered by branch */
	size_t nr_steps;
	/* Of the recorded transfers: */
	uint64_t entries; /* those with an end in this binary */
	uint64_t crossing; /* of these: from the kernel to user code or back */
	/* and those within the kernel, or in code that the kernel has changed */
	uint64_t traps;
	/* those with an end in its code that is 4 GiB or more above its first segment */
	uint64_t beyond;
	/* branches from it to user code, and those of them that its code cannot have made */
	uint64_t branches, misfits;
	uint64_t lines; /* straight lines between two of them in the binary */
	/* lines that are impossible, by reason */
	uint64_t bad_lines[PATH_NR_BREAKS];
};

/*
 * Derive the counts of a binary. code is its code. is_mine marks the numbers under which
 * it was counted. The steps still belong to counts, which must exist as long as *prof.
 * They are changed, so that nothing else can be made of counts. Returns 0 or PD_ENOMEM.
 * Call prof_free() in either case.
 *
 * Transfers that change the privilege mode, and traps within the kernel, are not branches
 * of the program. They are left out, but the straight lines beside them are kept.
 */
int prof_derive(struct prof *prof, struct counts *counts,
		const struct prof_places *places, const bool *is_mine,
		const struct prof_code *code);
void prof_free(struct prof *prof);

/*
 * Store the address, as linked, of a place in a binary whose code is known. Returns false
 * if there is no code.
 */
bool prof_linked_addr(const struct prof_code *code, const struct prof_binary *binary,
		      count_place place, uint64_t *addr);

/*
 * Returns the targets outside of the binary of the indirect call at from, of which there are *nr.
 * Their counts add up to that of its branch to PROF_OUTSIDE.
 */
const struct prof_away *prof_aways(const struct prof *prof, uint64_t from, size_t *nr);

/*
 * Returns whether one of the ranges begins at start or between start and end. end is
 * excluded.
 */
bool prof_has_range(const struct prof *prof, uint64_t start, uint64_t end);

/*
 * Store the next branch or the next trace. Both are sorted, and each comes once. *at is 0
 * for the first call. Both return false if there are no more.
 */
bool prof_next_branch(const struct prof *prof, size_t *at,
		      struct prof_branch *branch);
bool prof_next_trace(const struct prof *prof, size_t *at,
		     struct prof_trace *trace);

#endif
