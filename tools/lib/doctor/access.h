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

enum doctor_rights {
	DOCTOR_RIGHTS_NONE, /* what the level allows to all users */
	/* the same, though the process is root in a user namespace, as in rootless containers */
	DOCTOR_RIGHTS_CONTAINED,
	DOCTOR_RIGHTS_ALL, /* may record everything */
};

/*
 * Returns the rights of a process at a level, which CAP_PERFMON or CAP_SYS_ADMIN of the first
 * user namespace gives. At a level that allows nothing, only CAP_SYS_ADMIN helps. status and
 * uid_map are the texts of its files in /proc/PID. An empty uid_map is that of a kernel without
 * user namespaces.
 */
enum doctor_rights doctor_rights(const char *status, const char *uid_map, int level);

/* To follow what a level allows, where DOCTOR_RIGHTS_CONTAINED may surprise. */
#define DOCTOR_ACCESS_CONTAINED                                                \
	"; you are root only in a user namespace (a container), which gives no more rights"

/* Who denies what the level allows, and the remedy. */
#define DOCTOR_ACCESS_OTHER                                                    \
	"a container (by seccomp, or because its root is not the machine's) or a security module denies it"
#define DOCTOR_ACCESS_OTHER_REMEDY                                             \
	"record outside the container, or start it with --cap-add PERFMON (SYS_ADMIN if perf_event_paranoid is above 2); of a security module, look at the kernel's log"

/* The remedy if it allows nothing. */
#define DOCTOR_ACCESS_REMEDY                                                   \
	"run as root, or: sysctl kernel.perf_event_paranoid=2 (1: the kernel's code too, 0: whole CPUs)"

#endif
