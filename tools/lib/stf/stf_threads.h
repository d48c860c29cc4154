/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the threads of a trace were left when it changed to others: no gap if they go on there. */
#ifndef STF_STF_THREADS_H
#define STF_STF_THREADS_H

#include <stddef.h>

#include "stf/stf.h"

/* Each thread has a place for each hart on which it was left, and one for wherever. */
enum { STF_THREADS_MOST = 1 << 15 };

struct stf_left;

/* Set all members to 0 first. */
struct stf_threads {
	struct stf_left *v; /* a hash table */
	size_t nr, cap; /* cap is 0 or a power of two */
	bool full; /* some place was not kept */
};

/* The trace leaves a thread, whose next instruction is at pc. */
void stf_threads_leave(struct stf_threads *threads, const struct stf_process *process,
		       uint64_t pc);

/*
 * The trace changes to a thread, with an instruction at pc. Returns whether it goes on
 * there, or begins there: nothing is known of it.
 */
bool stf_threads_goes_on(const struct stf_threads *threads,
			 const struct stf_process *process, uint64_t pc);

/* Also forgets all threads. */
void stf_threads_free(struct stf_threads *threads);

#endif
