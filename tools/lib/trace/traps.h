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

/*
 * A fault from which the kernel has not come back when the sample was taken: its event
 * is the last one of the thread, or the next.
 */
struct trap_pending {
	uint64_t pc; /* 0: there is none */
	uint32_t run, offset;
	bool told; /* it may be the last one */
	struct rv_regs regs; /* the user's then */
};

/* In the order of the path. */
struct trap_notes {
	struct trap_note *v;
	size_t nr, cap;
	struct trap_pending pending;
	/*
	 * Of faults that were told since the thread's sample before: how many are open,
	 * as it is not certain when an instruction faulted, and how many of the youngest
	 * may be behind the path's end.
	 */
	unsigned int open_faults, later_faults;
};

/* The sample's path, as path_decode_sample() and its kin left it. */
struct trap_path {
	const struct path_run *runs;
	unsigned int nr_runs;
	const struct path_transfer *transfers;
	unsigned int nr_transfers;
	uint64_t ip;
	bool kernel; /* transfers of the kernel were recorded, too */
	bool joined; /* it goes on where the thread's sample before ended */
	/*
	 * The user's registers where it begins, where it ends, and when the sample was
	 * taken, which may be elsewhere; as far as they are known.
	 */
	struct rv_regs before, after, now;
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

/* Copy those of the runs from first on, which get the numbers from 0 on. As above. */
int traps_copy(struct trap_notes *to, const struct trap_notes *from,
	       uint32_t first);

/* The next fault of the thread: is it the pending one's? Returns 0 or PD_ENOMEM. */
int traps_resolve(struct trap_notes *notes, struct trap_pending *pending,
		  const struct side_fault *fault);

void traps_free(struct trap_notes *notes);

#endif
