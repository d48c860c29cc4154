/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which trap of a path is which side event: the number of a system call, the
 * address of a fault, the cause of an interrupt. Branch records have no time, so
 * both are counted back from the sample, and what is not certain is left open.
 */
#ifndef TRACE_TRAPS_H
#define TRACE_TRAPS_H

#include "path/path.h"
#include "side/history.h"

struct trap_note {
	uint32_t run; /* of the path */
	uint32_t offset; /* of the instruction, in the run's bytes */
	enum side_kind kind;
	/* A system call's number, a fault's address, an interrupt's cause. */
	uint64_t value;
};

/* In the order of the path. */
struct trap_notes {
	struct trap_note *v;
	size_t nr, cap;
};

/* The sample's path, as path_decode_sample() and its kin left it. */
struct trap_path {
	const struct path_run *runs;
	unsigned int nr_runs;
	const struct path_transfer *transfers;
	unsigned int nr_transfers;
	uint64_t ip;
	bool kernel; /* transfers of the kernel were recorded, too */
};

/*
 * Fill notes with what the thread's side events tell of the path's traps. thread
 * may be NULL. tells_ends: the ends of system calls were recorded, too. Returns 0
 * or PD_ENOMEM.
 */
int traps_match(struct trap_notes *notes, const struct trap_path *path,
		const struct side_thread *thread, bool tells_ends);

/* Notes of one run: the first at *first; returns their number. */
unsigned int traps_of_run(const struct trap_notes *notes, uint32_t run,
			  const struct trap_note **first);

/* Copy nr notes. Returns 0 or PD_ENOMEM. */
int traps_copy(struct trap_notes *to, const struct trap_note *from,
	       unsigned int nr);

void traps_free(struct trap_notes *notes);

#endif
