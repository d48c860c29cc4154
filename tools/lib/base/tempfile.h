/* SPDX-License-Identifier: GPL-2.0-only */
/* Temporary files without a name. They are gone when they are closed. */
#ifndef BASE_TEMPFILE_H
#define BASE_TEMPFILE_H

/*
 * Returns the folder of temporary files: $TMPDIR or /var/tmp. /tmp is often in memory, and
 * these files are there because memory is short.
 */
const char *tempfile_folder(void);

/* Returns a file descriptor to read and write, or -1 with errno set. */
int tempfile_open(void);

/* Copy all that can be read from a pipe to a temporary file. Returns like tempfile_open(). */
int tempfile_copy(int pipe);

#endif
