/* SPDX-License-Identifier: GPL-2.0-only */
/* Write paths as STF: runs of instructions become records. */
#ifndef TRACE_RUN_H
#define TRACE_RUN_H

#include "origin/tell.h"
#include "path/path.h"
#include "stf/stf.h"
#include "trace/masters.h"
#include "trace/syscall.h"
#include "trace/traps.h"

struct run_writer {
	struct stf_writer *writer; /* NULL: not opened */
	struct stf_header header; /* written before the first instruction */
	bool started;
	bool rv32; /* the first run is of a program of 32 bits */
	enum stf_mode mode;
	struct stf_process process; /* of the next runs */
	struct stf_process written; /* the last process that the trace names */
	struct syscall call;
	struct origin_tell tell; /* the mappings of the runs */
	const struct masters *masters;
	/* for each device of masters: a comment names it already */
	bool *named;
	size_t cap_named;
	/* for the group after the next FORCE_PC; NULL: none */
	const char *comment;
	uint64_t accesses; /* accesses of other masters */
	uint64_t insns; /* without those that faulted */
	uint64_t told; /* insns when the process and the mode were last told again */
	uint64_t faulted; /* instructions that stand there once more for a fault */
	uint64_t interrupted; /* instructions that did not execute, with those that faulted */
	uint64_t misread; /* of 32 bits if the first run is of 64 bits, or the reverse */
	/* Traps whose cause is known neither from the record nor from the instruction. */
	uint64_t guessed_causes;
	/* unknown_syscalls: those without a known number */
	uint64_t syscalls, unknown_syscalls;
	/* page faults; bare_faults: those without their address */
	uint64_t faults, bare_faults;
};

/* Set the thread of the next runs. */
void run_process(struct run_writer *out, uint32_t cpu, uint32_t pid,
		   uint32_t tid);

/* A run to write, and what else is known about it. */
struct run {
	const struct path_run *run;
	const struct path_transfer *transfers; /* the transfers of its path */
	/* the index of the perf event that took the sample */
	unsigned int event;
	const struct trap_note *notes; /* the notes about this run */
	unsigned int nr_notes;
	/* How many accesses from the front of the queue belong to its last instruction. */
	size_t accesses;
};

/*
 * Write one run and its accesses, and remove these from the queue. Returns 0, or STF_E_*
 * with the text in the writer.
 */
int run_write(struct run_writer *out, const struct run *what,
	      struct master_queue *queue);

void run_free(struct run_writer *out);

#endif
