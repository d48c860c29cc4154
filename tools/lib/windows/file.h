/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of windows: a plan as text, which people, awk, `ssctr estimate` and `ssctr cut`
 * read. ssctr-windows(5) describes it for users.
 *
 *	ssctr-windows 1
 *	source TEXT		each of these once, in this order
 *	unit TEXT
 *	cut-options TEXT
 *	size N
 *	choice random|representative|systematic
 *	seed N
 *	warmup N
 *	every N			only of recorded windows, as the next one
 *	left-out N
 *	phase NUMBER INTERVALS LENGTH SPREAD
 *	window NUMBER START LENGTH PHASE WEIGHT WARMUP [FROM TO]
 *	interval NUMBER START LENGTH PHASE CHOSEN [SAMPLES FROM TO]
 *	recorded NUMBER START LENGTH INSTRUCTIONS PLACE SOURCE PID TID CPU
 *
 * Fields are separated by one blank. Lines that begin with # are comments. The fields in
 * brackets are those of intervals of a recording: FROM and TO are times, in seconds for a
 * window and in ns for an interval. A phase is a stratum. Readers take the plan from the
 * phases and from the intervals or recorded windows, of which a file has either. They skip
 * the windows, which repeat it. CPU is -1 if it is not known.
 */
#ifndef WINDOWS_FILE_H
#define WINDOWS_FILE_H

#include "base/error.h"
#include "windows/plan.h"

#include <stdio.h>

/* The word of the file. */
const char *windows_choice_name(enum windows_choice choice);

/* Returns how much of the warm-up there is before a window. */
uint64_t windows_warmup(const struct windows_plan *plan, size_t window);

/* The errors of writing are those of file. */
void windows_file_write(const struct windows_plan *plan, FILE *file);

/*
 * Read a plan. name is that of the file, for messages. Returns 0, ERROR_NOMEM or
 * ERROR_INPUT. Call windows_file_free() in either case.
 */
int windows_file_read(struct windows_plan *plan, FILE *file, const char *name,
		      struct error *error);

/* Free a plan that was read. */
void windows_file_free(struct windows_plan *plan);

/*
 * Read a table of lines `WINDOW VALUE`, separated by blanks, a tab, a comma or a semicolon.
 * Empty lines and what follows a # are skipped, and so are a byte-order mark and a first line
 * that does not begin with a number. WINDOW is the number of a window. values has an element
 * for each of v of the plan, all 0. Returns 0, or ERROR_INPUT with a text.
 */
int windows_table_read(struct windows_value *values, const struct windows_plan *plan,
		       FILE *file, const char *name, struct error *error);

#endif
