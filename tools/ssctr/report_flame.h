/* SPDX-License-Identifier: GPL-2.0-only */
/* The call stacks of a recording, as a flame graph in the page of `ssctr report --html`. */
#ifndef SSCTR_REPORT_FLAME_H
#define SSCTR_REPORT_FLAME_H

#include "base/hash.h"
#include "calls/calls.h"
#include "count/rank.h"

#include <stdio.h>

/* A function, called by the chain of functions in the boxes above it. */
struct flame_box {
	uint32_t name;
	/* Numbers of boxes. 0 is the box of all samples, and also means none. */
	uint32_t parent, child, next;
	uint64_t samples; /* with this chain, and possibly more below it */
	uint64_t ended; /* of these, the samples whose call stack ends here */
};

struct flame_name {
	const char *text; /* valid as long as the struct calls */
	uint32_t shown; /* in the page, from 1 on; 0: in no box that is shown */
};

struct flame {
	struct flame_box *boxes;
	size_t nr, cap;
	struct hash index;
	struct flame_name *names;
	size_t nr_names, cap_names;
	struct hash name_index;
	struct count_list stacks; /* boxes, by the samples that end there */
	uint64_t others; /* samples of events without branch stacks */
	uint64_t without; /* samples without a call stack */
	uint64_t wrong; /* samples whose call stack cannot be right */
	uint64_t left_out; /* samples in boxes that are too narrow to be shown */
};

/* After calls_name(). Returns false if out of memory. Free *flame in each case. */
bool flame_make(struct flame *flame, const struct calls *calls);

void flame_free(struct flame *flame);

/* Parts of the page, if there is any call stack. */
static inline bool flame_is_empty(const struct flame *flame)
{
	return !flame->nr || !flame->boxes[0].samples;
}

void flame_put_section(const struct flame *flame, FILE *file);

extern const char flame_style[], flame_script[];

#endif
