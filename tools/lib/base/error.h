/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An error as a value: a negative code, and a text for the user. The text is one line
 * without its end, and names the object of the error.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

enum {
	ERROR_NOMEM = -1, /* not enough memory */
	ERROR_INPUT = -2, /* the input cannot be used */
	ERROR_OUTPUT = -3, /* something could not be written */
	ERROR_USAGE = -4, /* the options make no sense */
	ERROR_NOTHING = -5, /* everything was read, but there is no result */
	/* everything was read, but too little of it could be used */
	ERROR_PARTIAL = -6,
};

struct error {
	char text[1024];
};

/* Set the text. Returns code. */
int error_set(struct error *error, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Set the text for ERROR_NOMEM. Returns ERROR_NOMEM. */
int error_nomem(struct error *error);

#endif
