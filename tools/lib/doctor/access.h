/* SPDX-License-Identifier: GPL-2.0-only */
/* What kernel.perf_event_paranoid allows to users without privilege. */
#ifndef DOCTOR_ACCESS_H
#define DOCTOR_ACCESS_H

#include <stdbool.h>

enum doctor_access {
	DOCTOR_ACCESS_NOTHING,
	DOCTOR_ACCESS_USER, /* the user code of their own processes */
	DOCTOR_ACCESS_KERNEL, /* also the kernel's code for these processes */
	DOCTOR_ACCESS_CPUS, /* also whole CPUs */
};

/* Returns what a level allows. Only Debian has levels above 2. */
static inline enum doctor_access doctor_access(int level)
{
	return level > 2  ? DOCTOR_ACCESS_NOTHING :
	       level == 2 ? DOCTOR_ACCESS_USER :
	       level == 1 ? DOCTOR_ACCESS_KERNEL :
			    DOCTOR_ACCESS_CPUS;
}

/*
 * Returns whether a process may record everything at a level, because it has CAP_PERFMON or
 * CAP_SYS_ADMIN. At a level that allows nothing, only CAP_SYS_ADMIN helps. status is the text of
 * its /proc/PID/status.
 */
bool doctor_privileged(const char *status, int level);

/* Who denies what the level allows, and the remedy. */
#define DOCTOR_ACCESS_OTHER                                                    \
	"a container (by seccomp, or because its root is not the machine's) or a security module denies it"
#define DOCTOR_ACCESS_OTHER_REMEDY                                             \
	"record outside the container, or start it with --cap-add PERFMON (SYS_ADMIN if perf_event_paranoid is above 2); of a security module, look at the kernel's log"

/* The remedy if it allows nothing. */
#define DOCTOR_ACCESS_REMEDY                                                   \
	"run as root, or: sysctl kernel.perf_event_paranoid=2 (1: the kernel's code too, 0: whole CPUs)"

#endif
