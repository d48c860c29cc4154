/* SPDX-License-Identifier: GPL-2.0-only */
/* What points.c tells the program in the kernel. */
#ifndef RECORDER_POINTS_SHARED_H
#define RECORDER_POINTS_SHARED_H

#ifdef __bpf__
#include <linux/types.h>
#include <linux/bpf.h>
#endif
#include "last/sample.h"

#include <stdbool.h>

enum {
	POINTS_ERRORS = 4096, /* an error of a system call is less */
	POINTS_RETURNS = 16, /* functions whose returns are followed */
};

struct points_config {
	bool has_kernel; /* branches of the kernel are recorded */
	bool exits; /* a status that is not 0 is a point */
	bool errors[POINTS_ERRORS]; /* those of system calls that are points */
	struct {
		int64_t value; /* of the return */
		bool any_negative;
	} returns[POINTS_RETURNS];
};

#endif
