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

enum { SCREEN_KEYS = 32 /* that are taken at once, at most */ };

/* What arrows and the like send, which is no key that anybody asks for. */
enum screen_sequence {
	SCREEN_NO_SEQUENCE,
	SCREEN_ESCAPE, /* behind ESC */
	SCREEN_CONTROL, /* behind ESC [ */
	SCREEN_SINGLE, /* behind ESC O */
};

struct screen {
	int keys; /* the terminal, to be read and polled */
	enum screen_sequence in; /* up to where the keys were taken */
	bool entered;
	unsigned int rows, columns;
	struct termios before;
	/* What is drawn, until screen_show(). */
	FILE *out;
	char *text;
	size_t size;
};

/*
 * Returns whether the file is a terminal that has colours and a cursor to be moved, by the
 * variable TERM.
 */
bool screen_has(int fd);

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

/* Take the keys that were pressed, without those that send a sequence. Returns how many. */
size_t screen_keys(struct screen *s, char keys[SCREEN_KEYS]);

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
