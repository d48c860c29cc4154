/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was there before a recording began, as the records that the kernel would
 * have written of it: tasks, what they have mapped, the kernel and its modules.
 */
#ifndef RECORDER_TASKS_H
#define RECORDER_TASKS_H

#include <stddef.h>
#include <sys/types.h>

struct pdw;
struct rcd_file;

struct rcd_past {
	struct pdw *w;
	/*
	 * Bytes of zeros behind each record, where the kernel's have the fields
	 * that sample_id_all asks for.
	 */
	size_t trailer;
	struct rcd_file *files; /* whose build ids were read; 0 at first */
	size_t nr_files;
};

void rcd_past_end(struct rcd_past *past);

/*
 * The threads of a process, and its mappings of code. One that has ended is passed
 * by. Returns 0, or -1 with errno set if it cannot be written.
 */
int rcd_write_process(struct rcd_past *past, pid_t pid);

/* The same for all processes. */
int rcd_write_processes(struct rcd_past *past);

/* The kernel's code and that of its modules, where their addresses may be known. */
int rcd_write_kernel(struct rcd_past *past);

/* To the header, before pdw_start(): the build ids of the kernel and its modules. */
int rcd_add_kernel_build_ids(struct pdw *w);

/*
 * The threads of a process, in memory that the caller frees. Returns how many, or -1
 * with errno set: ESRCH if there is no such process.
 */
int rcd_threads(pid_t pid, pid_t **tids);

/* The process that a thread is of, or -1. */
pid_t rcd_process_of(pid_t tid);

#endif
