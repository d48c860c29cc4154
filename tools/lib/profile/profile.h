/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of one binary, at its own addresses: branches, and the ranges of
 * instructions that ran in straight line between them.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "profile/binary.h"
#include "profile/places.h"

/* In place of an address: somewhere else, in another binary or unknown. */
#define PROF_OUTSIDE UINT64_MAX
/* A trap or its return, which are no branches, led there. */
#define PROF_TRAP (UINT64_MAX - 1)

struct prof_range {
	uint64_t start, end; /* addresses of the first and last instruction */
	uint64_t count;
};

struct prof_branch {
	uint64_t from, to; /* one of them may be PROF_OUTSIDE */
	uint64_t count;
	uint64_t mispredicted;
};

/*
 * A branch, or PROF_TRAP in its place, and the straight line that it began: up to
 * the instruction at end, or PROF_OUTSIDE where that is not known.
 */
struct prof_trace {
	uint64_t from, to, end;
	uint64_t count;
};

struct prof {
	const struct prof_code *code;
	struct prof_range *ranges; /* sorted, none twice */
	size_t nr_ranges, nr_branches;
	/* What prof_next_*() read: the steps of counts, at offsets from base. */
	uint64_t base;
	struct count_step *steps; /* by branch */
	size_t nr_steps;
	/* Of the recorded transfers: */
	uint64_t entries; /* that this binary has a part in */
	uint64_t crossing; /* of them, from the kernel to user code or back */
	uint64_t traps; /* and within the kernel, or by code that it changed */
	uint64_t lines; /* straight lines between two of them in the binary */
	uint64_t bad_lines[PATH_NR_BREAKS]; /* that cannot be */
};

/*
 * What was counted in the binaries whose number is set in is_mine, which are the
 * one that code has. The steps stay those of counts, which has to outlive *prof, but
 * are changed: nothing else can be made of them. Returns 0 or PD_ENOMEM;
 * prof_free() is to be called in either case.
 *
 * Transfers that change the privilege, and traps within the kernel, are no branches
 * of the program: they are left out, but the straight lines beside them are not.
 */
int prof_derive(struct prof *prof, struct counts *counts,
		const struct prof_places *places, const bool *is_mine,
		const struct prof_code *code);
void prof_free(struct prof *prof);

/* The address as linked of a place in a binary that code has; false: there is no code. */
bool prof_linked_addr(const struct prof_code *code, const struct prof_binary *binary,
		      count_place place, uint64_t *addr);

/* Does one of the ranges begin between these addresses, of which the end is no part? */
bool prof_has_range(const struct prof *prof, uint64_t start, uint64_t end);

/*
 * The branches and the traces, each sorted and none twice. *at is where the next one
 * is, 0 for the first. False: there is none.
 */
bool prof_next_branch(const struct prof *prof, size_t *at,
		      struct prof_branch *branch);
bool prof_next_trace(const struct prof *prof, size_t *at,
		     struct prof_trace *trace);

#endif
