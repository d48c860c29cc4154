/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Begin and end windows: see windows.h. Each pacer belongs to one thread or CPU, and has a
 * number. A window begins shortly after its place, and ends shortly after its last sample,
 * because the recorder must wake up first. Each sample tells how many instructions there
 * were before it.
 */
#ifndef RECORDER_PACER_H
#define RECORDER_PACER_H

#include "base/error.h"
#include "recorder/rings.h"
#include "windows/windows.h"

struct pacers;

/*
 * Take the first event of the rings, and set its first places. It may not be enabled yet.
 * period is the one in a window. The rings and *windows must exist as long as the pacers.
 * Returns 0, or ERROR_NOMEM or ERROR_INPUT with a text.
 */
int pacers_new(struct pacers **p, const struct rings *rings, const struct windows *windows,
	       unsigned int period, struct error *error);

/* p may be NULL. */
void pacers_free(struct pacers *p);

/*
 * Look at a record from the rings. If it is a sample at the place of a window, the window
 * begins. If it is the last sample that a window needs, the window ends.
 */
void pacers_take(struct pacers *p, const void *record);

/*
 * Returns the milliseconds after which the rings must be looked at, because a window runs.
 * Returns -1 if none does. Call it once after all records were taken.
 */
int pacers_patience(struct pacers *p);

/*
 * Returns the number of threads and processes that those which were followed have started.
 * If the pacers belong to threads, the new ones have no windows, nor do those that they
 * start.
 */
uint64_t pacers_others(const struct pacers *p);

/* Returns the number of windows that have begun. */
uint64_t pacers_begun(const struct pacers *p);

/*
 * Returns the number of intervals that have no window, because their place had passed when the
 * window before them ended.
 */
uint64_t pacers_passed(const struct pacers *p);

#endif
