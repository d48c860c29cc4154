/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A terminal that is drawn on as a whole, and its keys. What it showed before is there
 * again at the end.
 */
#ifndef SSCTR_SCREEN_H
#define SSCTR_SCREEN_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

struct screen {
	int keys; /* the terminal, to be read and polled */
	bool entered;
	unsigned int rows, columns;
	struct termios before;
	/* What is drawn, until screen_show(). */
	FILE *out;
	char *text;
	size_t size;
};

/*
 * Standard output has to be a terminal, and the process to have one for its keys. Returns
 * 0, or ERROR_USAGE with a text; screen_close() in either case.
 */
int screen_open(struct screen *s, struct error *error);

/* From here on it is drawn on. */
void screen_enter(struct screen *s);

/* As it was before. May be called twice. */
void screen_close(struct screen *s);

/* Take the terminal's size anew. */
void screen_measure(struct screen *s);

/* The key that was pressed, or 0: none, or one that is not a letter. */
char screen_key(const struct screen *s);

/* Begin to draw from the top. Returns false if there is no memory. */
bool screen_begin(struct screen *s);

/*
 * As many lines of a text as there are rows for it, each as far as there are columns; what
 * is not to be printed becomes "?". Rows it does not fill are empty.
 */
void screen_lines(struct screen *s, const char *text, unsigned int rows);

/* The same for one row, of which from is drawn inversely up to to, in bytes. */
void screen_row(struct screen *s, const char *text, size_t from, size_t to);

/* Show it. Returns false if the terminal cannot be written to. */
bool screen_show(struct screen *s);

#endif
