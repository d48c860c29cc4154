/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the side event of each trap in a path. It tells the number of a system call, the
 * address of a fault or the cause of an interrupt. Branch records have no time.
 * Therefore, traps and side events are both counted back from the sample. What is not
 * certain stays unknown.
 */
#ifndef TRACE_TRAPS_H
#define TRACE_TRAPS_H

#include "path/path.h"
#include "side/history.h"

struct trap_note {
	uint32_t run; /* the number of the run in the path */
	/* bytes from the start of the run to the instruction */
	uint32_t offset;
	enum side_kind kind;
	/*
	 * The number of a system call, the address of a fault, or the cause of an
	 * interrupt.
	 */
	uint64_t value;
};

/*
 * A fault from which the kernel had not returned when the sample was taken. Its event is
 * the last one of the thread, or the next one.
 */
struct trap_pending {
	uint64_t pc; /* 0: there is no such fault */
	uint32_t run, offset;
	bool told; /* its event may be the last one */
	struct rv_regs regs; /* the registers of user code at that time */
};

/* In the order of the path. */
struct trap_notes {
	struct trap_note *v;
	size_t nr, cap;
	struct trap_pending pending;
	/* The path has more system calls than events told since the sample before. */
	bool missed_syscall;
	/* It has as many: all that it has were told, and none else. */
	bool level;
	/* Of some, the number is left out, because it is not certain. */
	bool uncertain_syscalls;
	/*
	 * Of the faults that side events told since the thread's sample before:
	 * open_faults is the number of faults for which it is not certain when the
	 * instruction faulted. later_faults is the number of the newest faults that may
	 * lie behind the end of the path. Nothing is known of apart_faults, because the
	 * path does not continue where the sample before ended, nor of early_faults,
	 * because there is no sample before.
	 */
	unsigned int open_faults, later_faults, apart_faults, early_faults;
};

/* The path of a sample, from path_decode_sample() and similar functions. */
struct trap_path {
	const struct path_run *runs;
	unsigned int nr_runs;
	const struct path_transfer *transfers;
	unsigned int nr_transfers;
	uint64_t ip;
	bool kernel; /* the transfers of the kernel were recorded, too */
	bool joined; /* it continues where the thread's sample before ended */
	/*
	 * The registers of user code where the path begins, where it ends, and when the
	 * sample was taken, which may be elsewhere. They may be unknown.
	 */
	struct rv_regs before, after, now;
};

/*
 * Store in notes what the side events of the thread tell about the traps of the path.
 * thread may be NULL. tells_ends means that the ends of system calls were recorded, too.
 * Returns 0 or PD_ENOMEM.
 */
int traps_match(struct trap_notes *notes, const struct trap_path *path,
		const struct side_thread *thread, bool tells_ends);

/* Returns the number of notes for one run, and stores the first of them in *first. */
unsigned int traps_of_run(const struct trap_notes *notes, uint32_t run,
			  const struct trap_note **first);

/*
 * Copy the notes of the runs from number first on. In the copy, the runs are numbered
 * from 0 on. Returns 0 or PD_ENOMEM.
 */
int traps_copy(struct trap_notes *to, const struct trap_notes *from,
	       uint32_t first);

/*
 * Take the next fault of the thread and check whether it is the pending one. Returns 0 or
 * PD_ENOMEM.
 */
int traps_resolve(struct trap_notes *notes, struct trap_pending *pending,
		  const struct side_fault *fault);

void traps_free(struct trap_notes *notes);

#endif
