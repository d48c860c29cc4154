/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths written as STF: runs of instructions become records. */
#ifndef TRACE_RUN_H
#define TRACE_RUN_H

#include "path/path.h"
#include "stf/stf.h"
#include "trace/masters.h"
#include "trace/syscall.h"
#include "trace/traps.h"

struct run_writer {
	struct stf_writer *writer; /* NULL: not opened */
	struct stf_header header; /* written before the first instruction */
	bool started;
	enum stf_mode mode;
	struct stf_process process; /* of the runs to come */
	struct stf_process written; /* the last that the trace names */
	struct syscall call;
	const struct masters *masters;
	bool *named; /* masters' devices that a comment names already */
	size_t cap_named;
	uint64_t accesses; /* of other masters */
	uint64_t insns;
	/* Traps whose cause neither the record nor the instruction tells. */
	uint64_t guessed_causes;
	uint64_t syscalls, unknown_syscalls; /* unknown: their number is */
	uint64_t faults, bare_faults; /* of pages; bare: without their address */
};

/* The thread that the next runs belong to. */
void run_process(struct run_writer *out, uint32_t cpu, uint32_t pid,
		   uint32_t tid);

/* A run to write, and what is known beside it. */
struct run {
	const struct path_run *run;
	const struct path_transfer *transfers; /* of its path */
	unsigned int event; /* index of the perf event that took the sample */
	const struct trap_note *notes; /* of this run */
	unsigned int nr_notes;
	size_t accesses; /* from the queue's front, at its last instruction */
};

/*
 * Write one run, and the accesses that belong to it, which leave the queue.
 * Returns 0 or STF_E_*, with the text at the writer.
 */
int run_write(struct run_writer *out, const struct run *what,
	      struct master_queue *queue);

void run_free(struct run_writer *out);

#endif
