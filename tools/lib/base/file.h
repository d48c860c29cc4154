/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files, such as those in which the kernel describes itself, and open ones. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Read the beginning of a file, at most size - 1 bytes, and add a NUL. fmt is its path.
 * Returns the number of bytes, or -1 with errno set and an empty text.
 */
ssize_t file_read(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Read only the first line, without its end. Returns false, with an empty line, if there
 * is none.
 */
bool file_line(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* How many files the process has open. */
size_t file_nr_open(void);

/* How many files the process may have open. */
size_t file_limit(void);

/* From now on, it may have as many as the system allows it. */
void file_raise_limit(void);

/* What helps against this errno of opening a file, to be put behind the error; "" if nothing. */
const char *file_remedy(int code);

/*
 * From now on, a page of a mapped file that is cut while it is read has zeros, in the whole
 * process. It is for a service, which others can do that to. Without this, SIGBUS ends the
 * program.
 */
void file_survive_cuts(void);

#endif
