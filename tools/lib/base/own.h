/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Folders in which a service keeps files of its own. Whoever else can write into such a folder
 * could make links there, through which the service would read, replace or remove any file.
 */
#ifndef BASE_OWN_H
#define BASE_OWN_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Open a folder that belongs to the user or to root, and into which no others can write.
 * nofollow: its name may not be that of a symbolic link. Returns a descriptor, or -1 with a
 * text that says what to do.
 */
int own_folder(const char *path, bool nofollow, struct error *error);

/* Returns 0 if own_folder() would open it, or ERROR_OUTPUT with a text. */
int own_folder_check(const char *path, bool nofollow, struct error *error);

/*
 * Open a regular file to read it. dir is the folder's descriptor, or AT_FDCWD. Returns a
 * descriptor, or -1 with errno: ELOOP if it is a symbolic link, or anything else but a file.
 */
int own_file(int dir, const char *name);

/*
 * Read the beginning of such a file, at most size - 1 bytes, and add a NUL. Returns the number
 * of bytes, or -1 with errno and an empty text.
 */
ssize_t own_read(char *text, size_t size, int dir, const char *name);

/* As strerror(). ELOOP is what own_file() means by it. */
const char *own_strerror(int code);

#endif
