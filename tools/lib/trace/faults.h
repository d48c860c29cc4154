/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page faults of user code, if the kernel was not recorded. Such faults leave no branch
 * record. A side event tells the instruction, which the path may contain several times.
 * The order of the events, and the registers if they were recorded, tell which time it
 * was.
 */
#ifndef TRACE_FAULTS_H
#define TRACE_FAULTS_H

#include "path/path.h"
#include "side/history.h"

/* What the thread ran since its sample before, from path_decode_on(). */
struct faults_path {
	const struct path_run *runs;
	unsigned int nr_runs;
	/* The registers where the path begins, and at the interrupted instruction. */
	struct rv_regs before, after;
};

struct fault_found {
	uint32_t run;
	/* bytes from the start of the run to the instruction */
	uint32_t offset;
	uint64_t addr;
};

struct faults_result {
	struct fault_found v[SIDE_HISTORY_DEPTH]; /* in the order of the path */
	unsigned int nr;
	unsigned int
		/*
		 * The instruction is in the path, but it is not certain at which time it
		 * faulted.
		 */
		open;
	unsigned int
		/* of the newest faults: those that may lie behind the end of the path */
		later;
};

/*
 * Find the faults that side events told since the thread's sample before. Returns 0 or
 * PD_ENOMEM.
 */
int faults_find(struct faults_result *result, const struct faults_path *path,
		const struct side_faults *faults);

#endif
