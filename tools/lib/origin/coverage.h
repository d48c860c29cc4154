/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of what ran a trace holds. A comment behind its last instruction tells it
 * (origin/origin.h), so it is known when the trace has been read to its end.
 */
#ifndef ORIGIN_COVERAGE_H
#define ORIGIN_COVERAGE_H

#include "base/notes.h"
#include "origin/origin.h"
#include "stf/stf.h"

#include <stdbool.h>

/* With a smaller share, more is to be had. It is the default of --least, too. */
#define ORIGIN_ENOUGH 0.9

/* The bytes that origin_coverage_text() needs. */
enum { ORIGIN_TEXT_MAX = 192 };

/*
 * Call this when stf_inst_iter_next() has returned 0. Returns what the trace tells
 * of its coverage.
 */
struct origin_coverage origin_coverage_behind(struct stf_inst_iter *iter);

/* Returns the share that this number of instructions is of those that ran, 0 to 1. */
static inline double origin_share(uint64_t held, uint64_t ran)
{
	return held < ran ? (double)held / ran : 1;
}

/*
 * Write the share in words: "19.8 % of what ran", with how to get more if it is small, or
 * "not known". Returns text.
 */
const char *origin_coverage_text(char *text, size_t size, double share);

/*
 * What to say of instructions that a trace shows more than once. The first text is for readers
 * of the trace, which does not tell whether --stitch never has made it.
 */
#define ORIGIN_REPEATED                                                        \
	"are shown more than once, because samples overlap that were not joined; make the trace without --stitch never, and record without losses (-m) and with a shorter period (-c), or with a much longer one"
#define ORIGIN_UNPROVEN                                                        \
	"are shown more than once, because samples overlap whose periods do not prove it; record without losses (-m) and with a shorter period (-c), or with a much longer one"
#define ORIGIN_UNJOINED                                                        \
	"are shown more than once, because --stitch never does not join samples that overlap"

/* Add notes about the instructions of a trace, for what is made from it. */
void origin_note_coverage(const struct origin_coverage *coverage, uint64_t instructions,
			  struct notes *notes);

/*
 * Add a note how many instructions ran, and which share of them an output holds. If this is less
 * than least, the note says how to get more. remedy says what helps if samples were lost. It is
 * NULL if they are not missing. If ran is 0, it is not known, and there is no note.
 */
void origin_note_held(uint64_t held, uint64_t ran, double least, const char *remedy,
		      struct notes *notes);

#endif
