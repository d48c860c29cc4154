/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of what ran a trace holds. A comment behind its last instruction tells it
 * (origin/origin.h), so it is known when the trace has been read to its end.
 */
#ifndef ORIGIN_COVERAGE_H
#define ORIGIN_COVERAGE_H

#include "base/notes.h"
#include "stf/stf.h"

/* With a smaller share, more is to be had. It is the default of --least, too. */
#define ORIGIN_ENOUGH 0.9

/* How, to follow the share. */
#define ORIGIN_GET_MORE                                                        \
	"; record with a shorter period to get more (docs/trace.md, Without gaps)"

/*
 * Call this when stf_inst_iter_next() has returned 0. Returns the share, 0 to 1, or a
 * negative number if the trace does not tell it.
 */
double origin_coverage_behind(struct stf_inst_iter *iter);

/*
 * Write the share in words: "19.8 % of what ran", with ORIGIN_GET_MORE if it is small, or
 * "not known". Returns text.
 */
const char *origin_coverage_text(char *text, size_t size, double share);

/* Add the share as a note about the instructions of a trace, for what is made from it. */
void origin_note_coverage(double share, uint64_t instructions,
			  struct notes *notes);

#endif
