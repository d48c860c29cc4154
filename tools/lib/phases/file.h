/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of windows: a plan as text, which people, awk and `ssctr estimate` read.
 *
 *	ssctr-windows 1
 *	source TEXT		each of these once, in this order
 *	unit TEXT
 *	cut-options TEXT
 *	size N
 *	choice random|representative
 *	seed N
 *	phase NUMBER INTERVALS LENGTH SPREAD
 *	window INTERVAL START LENGTH PHASE WEIGHT [FROM TO]
 *	interval NUMBER START LENGTH PHASE CHOSEN [SAMPLES FROM TO]
 *
 * Fields are separated by one blank. Lines that begin with # are comments. The fields in
 * brackets are those of recordings: FROM and TO are times, in seconds for a window and in
 * ns for an interval. A phase is a stratum. Readers take the plan from the phases and the
 * intervals, and skip the windows, which repeat it.
 */
#ifndef PHASES_FILE_H
#define PHASES_FILE_H

#include "phases/estimate.h"

#include <stdio.h>

/* The errors of writing are those of file. */
void phases_file_write(const struct phases_plan *plan, FILE *file);

/*
 * Read a plan. name is that of the file, for messages. Returns 0, ERROR_NOMEM or
 * ERROR_INPUT. Call phases_file_free() in either case.
 */
int phases_file_read(struct phases_plan *plan, FILE *file, const char *name,
		     struct error *error);

/* Free a plan that was read. */
void phases_file_free(struct phases_plan *plan);

/*
 * Read a table of lines `WINDOW VALUE`, separated by blanks, a tab, a comma or a semicolon.
 * Empty lines and what follows a # are skipped, and so is a first line that does not begin
 * with a number. WINDOW is the number of an interval that is a window. values has an
 * element for each interval, all 0. Returns 0, or ERROR_INPUT with a text.
 */
int phases_table_read(struct phases_value *values, const struct phases_plan *plan,
		      FILE *file, const char *name, struct error *error);

#endif
