/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths written as STF: runs of instructions become records. */
#ifndef SSCTR_TRACE_H
#define SSCTR_TRACE_H

#include "masters.h"
#include "path/path.h"
#include "stf/stf.h"
#include "traps.h"

struct trace {
	struct stf_writer *writer; /* NULL: not opened */
	struct stf_header header; /* written before the first instruction */
	bool started;
	enum stf_mode mode;
	struct stf_process process; /* of the runs to come */
	struct stf_process written; /* the last that the trace names */
	/* What register a7 holds in user code, where its instructions tell. */
	bool a7_known;
	int64_t a7;
	uint64_t trap_pc; /* where user code was left for the kernel; 0: it runs */
	const struct masters *masters;
	bool *named; /* masters' devices that a comment names already */
	unsigned int nr_named;
	uint64_t accesses; /* of other masters */
	uint64_t insns;
	/* Traps whose cause neither the record nor the instruction tells. */
	uint64_t guessed_causes;
	uint64_t syscalls, unknown_syscalls; /* unknown: their number is */
};

/* The thread that the next runs belong to. */
void trace_process(struct trace *trace, uint32_t cpu, uint32_t pid,
		   uint32_t tid);

/* A run to write, and what is known beside it. */
struct trace_run {
	const struct path_run *run;
	const struct path_transfer *transfers; /* of its path */
	unsigned int event; /* index of the perf event that took the sample */
	const struct trap_note *notes; /* of this run */
	unsigned int nr_notes;
	/* Accesses, from the queue's front, at its first and last instruction. */
	unsigned int first_accesses, last_accesses;
};

/*
 * Write one run, and the accesses that belong to it, which leave the queue.
 * Returns 0 or STF_E_*, with the text at the writer.
 */
int trace_run(struct trace *trace, const struct trace_run *what,
	      struct master_queue *queue);

void trace_free(struct trace *trace);

#endif
