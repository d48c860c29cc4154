/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was there before a recording began, as the records that the kernel would
 * have written of it: tasks, what they have mapped, the kernel and its modules.
 */
#ifndef RECORDER_TASKS_H
#define RECORDER_TASKS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pdw;
struct rcd_file;

/* Processes or threads. All 0 before the first. */
struct rcd_pids {
	pid_t *v;
	size_t nr, cap;
};

/* One more. False: out of memory. */
bool rcd_add_pid(struct rcd_pids *pids, pid_t pid);

struct rcd_past {
	struct pdw *w;
	struct error *error; /* for the text of a failure */
	/*
	 * Bytes of zeros behind each record, where the kernel's have the fields
	 * that sample_id_all asks for.
	 */
	size_t trailer;
	struct rcd_file *files; /* whose build ids were read; 0 at first */
	size_t nr_files, cap_files;
};

void rcd_past_end(struct rcd_past *past);

/*
 * The threads of a process, and its mappings of code. One that has ended is passed
 * by. Returns 0 or ERROR_*, as the following ones do.
 */
int rcd_write_process(struct rcd_past *past, pid_t pid);

/* The same for all processes. */
int rcd_write_processes(struct rcd_past *past);

/* The kernel's code and that of its modules, where their addresses may be known. */
int rcd_write_kernel(struct rcd_past *past);

/* To the header, before pdw_start(): the build ids of the kernel and its modules. */
int rcd_add_kernel_build_ids(struct pdw *w);

/* Add the threads of a process. Returns 0, or a negative errno: -ESRCH, -ENOMEM, ... */
int rcd_threads(struct rcd_pids *tids, pid_t pid);

/* The process that a thread is of, or -1. */
pid_t rcd_process_of(pid_t tid);

#endif
