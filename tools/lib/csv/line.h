/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of a CSV, and the numbers in them: what its readers share. */
#ifndef CSV_LINE_H
#define CSV_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All 0 before csv_lines_open(); path stays the caller's. */
struct csv_lines {
	FILE *file;
	const char *path;
	char *line; /* the one at work, without its end */
	size_t room;
	uint64_t nr; /* of the line at work, 1 and on */
	int failed; /* CSV_E*: each later call fails, too */
	char error[512];
};

/*
 * Open a file, or standard input as "-", and read the header, whose names are
 * compared without case. what names such a file in the error's text. Returns 0,
 * CSV_EIO or CSV_EFORMAT.
 */
int csv_lines_open(struct csv_lines *lines, const char *path,
		   const char *header, const char *what);

/* The next line that is not empty: 1, 0 at the end, CSV_E*. */
int csv_lines_next(struct csv_lines *lines);

/* Keep "FILE:LINE: " and the text as the error. Returns code. */
int csv_lines_fail(struct csv_lines *lines, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void csv_lines_close(struct csv_lines *lines);

/* The value of a hexadecimal digit, or -1. */
int csv_digit(char c);

/*
 * A number of the base 10 or 16 that ends at the character end, and has at most
 * 16 digits. False, and *p left alone, if there is none; else *p is behind it and,
 * unless end is 0, behind end.
 */
bool csv_number(const char **p, unsigned int base, char end, uint64_t *value);

#endif
