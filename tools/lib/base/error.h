/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why something could not be done, as a value: a negative code, and a text for people
 * that names what it is about, one line without its end.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

enum {
	ERROR_NOMEM = -1, /* there is no memory */
	ERROR_INPUT = -2, /* what was read cannot be used */
	ERROR_OUTPUT = -3, /* something could not be written */
	ERROR_USAGE = -4, /* what was asked for makes no sense */
	ERROR_NOTHING = -5, /* all was read, and nothing comes of it */
	ERROR_PARTIAL = -6, /* all was read, and too little of it could be used */
};

struct error {
	char text[1024];
};

/* Set the text. Returns code. */
int error_set(struct error *error, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for ERROR_NOMEM. */
int error_nomem(struct error *error);

#endif
