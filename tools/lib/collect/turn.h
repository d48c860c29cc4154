/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns: short recordings of all CPUs, which are counted and then removed. A recording
 * has names of tasks and paths of programs, so only this user can read it while it is
 * there.
 */
#ifndef COLLECT_TURN_H
#define COLLECT_TURN_H

#include "base/error.h"
#include "collect/budget.h"
#include "tally/tally.h"

#include <stdint.h>

struct turns_opts {
	const char *event; /* as `ssctr record -e` has it */
	/* for the recordings; made if it is not there. Only this process uses it. */
	const char *folder;
	uint64_t length; /* ns of a turn */
	int wake; /* a descriptor: the turn ends when it can be read */
};

struct turns;

/*
 * Begin, and remove the recordings that a killed process has left in the folder. Strings
 * of opts are kept. Returns 0, or ERROR_* with a text. Call turns_free() in either case.
 */
int turns_new(struct turns **turns, const struct turns_opts *opts, struct error *error);

/* Returns 0 if the events can be opened, or ERROR_* with a text. */
int turns_try(struct turns *turns, struct error *error);

/*
 * Record a turn and count it. Returns 0 with what it has cost, or ERROR_* with a text.
 */
int turns_take(struct turns *turns, const struct collect_sampling *how,
	       struct collect_turn *turn, struct error *error);

/* Returns the counts of all turns since the last turns_clear(). */
struct tally *turns_tally(struct turns *turns);

/* Let these counts stand for a time of so many ns, of which the turns recorded a part. */
void turns_stand_for(struct turns *turns, uint64_t span);

/* Forget these counts. */
void turns_clear(struct turns *turns);

/* turns may be NULL. */
void turns_free(struct turns *turns);

#endif
