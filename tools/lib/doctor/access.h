/* SPDX-License-Identifier: GPL-2.0-only */
/* What kernel.perf_event_paranoid leaves to those without privilege. */
#ifndef DOCTOR_ACCESS_H
#define DOCTOR_ACCESS_H

enum doctor_access {
	DOCTOR_ACCESS_NOTHING,
	DOCTOR_ACCESS_USER, /* user code of their own processes */
	DOCTOR_ACCESS_KERNEL, /* and the kernel's for these */
	DOCTOR_ACCESS_CPUS, /* and whole CPUs */
};

/* By its value. Levels above 2 are Debian's own. */
static inline enum doctor_access doctor_access(int level)
{
	return level > 2  ? DOCTOR_ACCESS_NOTHING :
	       level == 2 ? DOCTOR_ACCESS_USER :
	       level == 1 ? DOCTOR_ACCESS_KERNEL :
			    DOCTOR_ACCESS_CPUS;
}

/* The remedy where it leaves nothing. */
#define DOCTOR_ACCESS_REMEDY                                                   \
	"run as root, or: sysctl kernel.perf_event_paranoid=2 (1: the kernel's code too, 0: whole CPUs)"

#endif
