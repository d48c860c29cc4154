/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows: short stretches of a long run, each without a gap.
 *
 * One event counts the instructions of user code, and has branch stacks. At the place of a
 * window it takes a sample. The recorder then sets a period so short that samples overlap.
 * When the window has enough samples, the recorder sets the period that leads to the next
 * place. So the hart only counts between two windows, and one counter is enough.
 */
#ifndef WINDOWS_H
#define WINDOWS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum windows_places {
	WINDOWS_RANDOM, /* each window is at another place in its interval */
	WINDOWS_SYSTEMATIC, /* each window is at the same place in its interval */
};

struct windows {
	uint64_t size; /* instructions in a window; 0: no windows */
	uint64_t every; /* instructions in an interval, which has one window */
	enum windows_places places;
	uint64_t seed; /* the places follow from it */
	bool has_places, has_seed; /* the user gave them */
};

/*
 * Parse SIZE/EVERY, such as 200k/50M, into size and every. Returns 0, or ERROR_USAGE with
 * a text.
 */
int windows_parse(struct windows *w, const char *arg, struct error *error);

/* Parse random or systematic. Returns like windows_parse(). */
int windows_parse_places(struct windows *w, const char *arg, struct error *error);

/*
 * Returns the instructions between two samples in a window. A sample shows up to `shown` of
 * the `depth` records that the buffer holds. The period is a prime, because a prime is not
 * in step with loops. It is the largest one up to 7/8 of the smaller of these:
 *
 * - depth. A period then has fewer transfers than the buffer has records, also if an
 *   interrupt comes somewhat late.
 * - the instructions in which shown - 1 transfers are taken where each second instruction
 *   is one. Code seldom has more of them. So two samples have a record in common.
 *
 * Returns 0 if that is too few for windows.
 */
unsigned int windows_period(unsigned int depth, unsigned int shown);

/*
 * The least that a sample of a window may show: half of the smallest buffer. With less, the
 * kernel would take more samples than it allows, and do nothing else.
 */
enum { WINDOWS_LEAST_SHOWN = 8 };

/* Returns the number of samples of a window with this period. */
uint64_t windows_samples(const struct windows *w, unsigned int period);

/*
 * Returns the place of the window of an interval, in instructions of the thread or CPU
 * with this number from its start. Intervals are numbered from 0 on. The window lies
 * within its interval, and its place is at least 1.
 */
uint64_t windows_place(const struct windows *w, uint32_t number, uint64_t interval);

/* Returns the first place behind `after` instructions. */
uint64_t windows_next(const struct windows *w, uint32_t number, uint64_t after);

/*
 * Returns the instructions from `after` to the next place. It is one more if it would be
 * period, the one in a window, because samples are told apart by their period.
 */
uint64_t windows_wait(const struct windows *w, uint32_t number, uint64_t after,
		      unsigned int period);

/*
 * Returns the number of pages, a power of two, of a ring that holds a window whose samples
 * have this period and up to depth branches. The result is at least 128 pages, and more
 * only up to 64 MiB.
 */
unsigned int windows_pages(const struct windows *w, unsigned int period, unsigned int depth);

/*
 * Make the name of the event in the recording. It tells the reader how the windows were
 * taken: windows/size=200000,every=50000000,period=251,places=random,seed=1/. The period
 * is the one in a window.
 */
void windows_name(const struct windows *w, unsigned int period, char *name, size_t size);

/*
 * Read such a name. Returns false if it is another name, or NULL.
 */
bool windows_read_name(struct windows *w, unsigned int *period, const char *name);

#endif
