/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The path before a kernel died, as ssctr last shows other paths. The members pc, last and
 * to of a step are the number of a place in the log and 1, so that equal places have equal
 * numbers. The offset of its places is the number of the place.
 */
#ifndef CONSOLE_STEPS_H
#define CONSOLE_STEPS_H

#include "console/names.h"

/* What of a report is not in its steps. */
struct con_left {
	/* transfers after the exception, by which the kernel handled it */
	uint64_t after;
	/* The steps end at the exception of the report. */
	bool has_exception;
};

/*
 * Find the steps of a report. Only the newest `most` transfers before the exception are used.
 * Where the code is not known, the number of instructions is 0. Returns false if out of
 * memory. The caller frees steps->v.
 */
bool con_find_steps(struct last_steps *steps, const struct con_log *log,
		    const struct con_report *report, const struct con_names *names,
		    uint64_t most, struct con_left *left);

#endif
