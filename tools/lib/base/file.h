/* SPDX-License-Identifier: GPL-2.0-only */
/* Small files, such as those in which the kernel tells of itself. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The beginning of a file, at most size - 1 bytes and a NUL. fmt is its path. Returns
 * how many bytes, or -1 with errno set and an empty text.
 */
ssize_t file_read(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The first line alone, without its end. False: there is none, and line is empty. */
bool file_line(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
