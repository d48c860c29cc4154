/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are complete or do not exist. They are written under a temporary name in the
 * same folder, and renamed when they are complete. libstf has the same rule for its
 * traces. It has its own code for it, because it does not depend on other code.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *file;
	char *path; /* the final name; NULL: the file is written directly */
	char *temporary;
};

/*
 * Create path, or the file that it points to if it is a symbolic link. "-" is standard
 * output. If path exists and is not a regular file, it is written directly. Returns 0, or
 * -1 with errno set. On an error, there is nothing to close.
 */
int outfile_open(struct outfile *out, const char *path);

/*
 * Complete the file, or remove it if keep is false. Returns 0, or -1 with errno set. The
 * file is then removed, too. Earlier errors of out->file are also returned.
 */
int outfile_close(struct outfile *out, bool keep);

#endif
