/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the instructions of a trace ran one after another: on one hart, or in one thread,
 * which may move from hart to hart, and how often the threads change. For what has no place
 * for several harts or threads.
 */
#ifndef STATS_HARTS_H
#define STATS_HARTS_H

#include "stf/stf.h"

/* What then is to be said. */
#define STATS_HARTS_SEVERAL                                                    \
	"the instructions are of several harts; take those of one hart with `ssctr cut --hart N`, or those of one thread with `ssctr cut --tid N`"

/* Set all members to 0 before the first instruction. */
struct stats_harts {
	struct stf_process first; /* that was told */
	bool told;
	bool harts, threads; /* there are others than the first one's */
};

/*
 * Take the next instruction. Returns whether the instructions so far are of several threads
 * on several harts. Each hart has a thread 0 of its own.
 */
bool stats_harts_several(struct stats_harts *harts, const struct stf_inst *inst);

/* What is to be said of threads that take turns. */
#define STATS_TURNS_APART                                                      \
	"take one thread with `ssctr cut --tid N` or one process with `ssctr cut --pid N`, or make a trace of each thread with `ssctr stf --split thread`"

/* Set all members to 0 before the first instruction. */
struct stats_turns {
	uint32_t pid, tid; /* of the last instruction that was taken */
	bool told;
	uint64_t changes; /* from one thread or process to another */
};

/* Take the next instruction of an output. */
void stats_turns_take(struct stats_turns *turns, const struct stf_inst *inst);

#endif
