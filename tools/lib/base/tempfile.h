/* SPDX-License-Identifier: GPL-2.0-only */
/* Temporary files without a name. They are gone when they are closed. */
#ifndef BASE_TEMPFILE_H
#define BASE_TEMPFILE_H

#include "base/error.h"

#include <stdbool.h>

enum { TEMPFILE_PATH = 32 }; /* bytes of a path by tempfile_path() */

/*
 * Returns the folder of temporary files: $TMPDIR or /var/tmp. /tmp is often in memory, and
 * these files are there because memory is short.
 */
const char *tempfile_folder(void);

/* Returns a file descriptor to read and write, or -1 with errno set. */
int tempfile_open(void);

/* Store a path by which the file can be opened while the file descriptor is open. */
void tempfile_path(int fd, char path[TEMPFILE_PATH]);

/* Returns whether the path is that of an open file without a name, by tempfile_path(). */
bool tempfile_is(const char *path);

/* Set the text for a temporary file that cannot be written, by errno. Returns ERROR_OUTPUT. */
int tempfile_error(struct error *error);

/* Copy all that can be read from a pipe to a temporary file. Returns like tempfile_open(). */
int tempfile_copy(int pipe);

#endif
