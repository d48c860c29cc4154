/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points at which the kernel keeps the last branches of a thread: the thread dies, a system
 * call fails, a function is called. A BPF program in the kernel does it. Only this room uses
 * libbpf, if it is installed.
 */
#ifndef RECORDER_POINTS_H
#define RECORDER_POINTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { POINTS_MAX_PROBES = 16 };

/* A function. */
struct points_probe {
	const char *path; /* of the program or the library; NULL: the kernel */
	const char *symbol;
	bool at_return;
	/* Of a return: any negative value, or this one. */
	bool any_negative;
	int64_t value;
};

/* Signals that end a process are points in any case. */
struct points_opts {
	bool exits; /* exit statuses that are not 0 */
	bool all_errors; /* of system calls */
	const int *errors; /* some of them, positive */
	size_t nr_errors;
	const struct points_probe *probes;
	size_t nr_probes; /* at most POINTS_MAX_PROBES */
	bool has_kernel; /* branches of the kernel are recorded */
	bool inherit; /* the processes that these start are followed, too */
};

struct points;

/*
 * Load the program. Returns 0, or ERROR_INPUT with a text that says what is missing, or
 * ERROR_NOMEM.
 */
int points_new(struct points **points, const struct points_opts *opts, struct error *error);

/* points may be NULL. */
void points_free(struct points *points);

/* Follow a process. Returns 0 or ERROR_INPUT with a text. */
int points_follow(struct points *points, pid_t pid, struct error *error);

/* What the program writes on a CPU goes to the event with this fd. Returns as above. */
int points_write_to(struct points *points, int cpu, int fd, struct error *error);

/* From here on, the program runs. Returns as above. */
int points_start(struct points *points, struct error *error);

#endif
