/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compute from ranges how often each instruction ran. Ranges may overlap. To include code
 * that did not run, add a range with a count of 0.
 */
#ifndef PROFILE_SWEEP_H
#define PROFILE_SWEEP_H

#include "profile/profile.h"

struct prof_sweep_end;

/* Set all members to 0 first. */
struct prof_sweep {
	struct prof_sweep_end *v;
	size_t nr, cap;
};

/* Add the ranges that were counted. Returns false if out of memory. */
bool prof_sweep_add_ranges(struct prof_sweep *sweep, const struct prof *prof);

/*
 * Add the range between two addresses, which may not have run. Returns false if out of
 * memory.
 */
bool prof_sweep_add(struct prof_sweep *sweep, uint64_t start, uint64_t end);

/*
 * Take the count of an instruction. Returns false on an error, and is then not called
 * again.
 */
typedef bool (*prof_insn_fn)(void *arg, uint64_t addr, unsigned int size,
			     uint64_t count);

/*
 * Call fn for all instructions of the ranges, each of them once, ordered by address. The
 * ends of the ranges are boundaries of instructions. Returns false if fn did.
 */
bool prof_sweep_run(struct prof_sweep *sweep, const struct prof_code *code,
		    prof_insn_fn fn, void *arg);
void prof_sweep_free(struct prof_sweep *sweep);

#endif
