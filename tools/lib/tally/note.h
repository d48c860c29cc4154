/* SPDX-License-Identifier: GPL-2.0-only */
/* What a counts file says about its counts, as notes for the user. */
#ifndef TALLY_NOTE_H
#define TALLY_NOTE_H

#include "base/notes.h"
#include "countfile/countfile.h"

/* Add notes about the sources, the coverage of each event, and what was left out. */
void tally_note_head(const struct cf_head *head, struct notes *notes);

/* Add a note about a weight of lines, of which cf_lacks_length() is true, unless it is 0. */
void tally_note_lacking(const struct cf_head *head, uint64_t weight, struct notes *notes);

/* Returns how many recordings and periods were counted, and of how many sources. */
uint64_t tally_periods(const struct cf_head *head);
uint64_t tally_sources(const struct cf_head *head);

/*
 * Returns the share of an event's count that lies between the samples, 0 to 1, or a
 * negative number if it is not known of all samples.
 */
double tally_coverage(const struct cf_event *event);

/* Returns the smallest coverage of the events, like tally_coverage(). */
double tally_least_coverage(const struct cf_head *head);

#endif
