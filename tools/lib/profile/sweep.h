/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From ranges to instructions: how often each of them ran. Ranges overlap, and code
 * that did not run is asked for by ranges that count 0.
 */
#ifndef PROFILE_SWEEP_H
#define PROFILE_SWEEP_H

#include "profile/profile.h"

struct prof_sweep_end;

/* All 0 before the first. */
struct prof_sweep {
	struct prof_sweep_end *v;
	size_t nr, cap;
};

/* The ranges that were counted. False: out of memory. */
bool prof_sweep_add_ranges(struct prof_sweep *sweep, const struct prof *prof);

/* What is between two addresses, though it may not have run. False: out of memory. */
bool prof_sweep_add(struct prof_sweep *sweep, uint64_t start, uint64_t end);

/* Count an instruction. False: there is an error, and it is the last. */
typedef bool (*prof_insn_fn)(void *arg, uint64_t addr, unsigned int size,
			     uint64_t count);

/*
 * All instructions of what was added, each once, by address; where ranges begin and
 * end is taken for their boundaries. False: fn said so.
 */
bool prof_sweep_run(struct prof_sweep *sweep, const struct prof_code *code,
		    prof_insn_fn fn, void *arg);
void prof_sweep_free(struct prof_sweep *sweep);

#endif
