/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page faults of user code where the kernel was not recorded: they leave no record. An
 * event tells the instruction, which the path may have more than once. The events'
 * order, and registers if they were recorded, tell which time it was.
 */
#ifndef TRACE_FAULTS_H
#define TRACE_FAULTS_H

#include "path/path.h"
#include "side/history.h"

/* What the thread ran since its sample before, as path_decode_on() left it. */
struct faults_path {
	const struct path_run *runs;
	unsigned int nr_runs;
	/* The registers when it begins, and those at the interrupted instruction. */
	struct rv_regs before, after;
};

struct fault_found {
	uint32_t run;
	uint32_t offset; /* of the instruction, in the run's bytes */
	uint64_t addr;
};

struct faults_result {
	struct fault_found v[SIDE_HISTORY_DEPTH]; /* in the order of the path */
	unsigned int nr;
	unsigned int
		open; /* the instruction is there, but which time is not certain */
	unsigned int
		later; /* of the youngest: it may be behind the path's end */
};

/*
 * Find the faults that were told since the thread's sample before. Returns 0 or
 * PD_ENOMEM.
 */
int faults_find(struct faults_result *result, const struct faults_path *path,
		const struct side_faults *faults);

#endif
