/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What ran before a recording began, in the form of records that the kernel would have
 * written: tasks, their mappings, the kernel and its modules.
 */
#ifndef RECORDER_TASKS_H
#define RECORDER_TASKS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pdw;
struct rcd_files;

/* Processes or threads. Set all members to 0 first. */
struct rcd_pids {
	pid_t *v;
	size_t nr, cap;
};

/* Add one. Returns false if out of memory. */
bool rcd_add_pid(struct rcd_pids *pids, pid_t pid);

/* Keep each once, where it comes first. Returns false if out of memory. */
bool rcd_each_pid_once(struct rcd_pids *pids);

/*
 * What a process that records again and again need not read again, as it is the same until
 * the machine is booted. Set all members to 0 first.
 */
struct rcd_known {
	bool has_text;
	uint64_t text[2]; /* of the kernel: from, to. 0: not known */
	struct rcd_module *modules;
	size_t nr_modules;
};

void rcd_known_free(struct rcd_known *known);

struct rcd_past {
	struct pdw *w;
	struct error *error; /* gets the text of a failure */
	struct rcd_known *known;
	/*
	 * The number of zero bytes behind each record. The kernel's records have the
	 * fields of sample_id_all there.
	 */
	size_t trailer;
	struct rcd_files *files; /* all that are mapped while it records */
};

/*
 * Write the threads of a process, and its mappings of code. A process that has ended is
 * skipped. This function and the next three return 0 or ERROR_*.
 */
int rcd_write_process(struct rcd_past *past, pid_t pid);

/* Write the same for all processes. */
int rcd_write_processes(struct rcd_past *past);

/* Write the name of a thread, cut off as the kernel cuts it off. */
int rcd_write_name(struct rcd_past *past, pid_t pid, pid_t tid, const char *name);

/*
 * Write the code of the kernel, its modules, and BPF programs with their trampolines, if the user
 * is allowed to know their addresses.
 */
int rcd_write_kernel(struct rcd_past *past);

/*
 * Add the build ids of the kernel, its vdso and its modules to the header. Call this before
 * pdw_start(). Returns 0 or ERROR_*.
 */
int rcd_add_kernel_build_ids(struct pdw *w, struct rcd_known *known);

/* Add the threads of a process. Returns 0 or a negative errno: -ESRCH, -ENOMEM, ... */
int rcd_threads(struct rcd_pids *tids, pid_t pid);

/* Returns the process of a thread, or -1. */
pid_t rcd_process_of(pid_t tid);

#endif
