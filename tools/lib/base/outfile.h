/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are there whole or not at all: written under a temporary name beside
 * the target, and renamed when they are complete. libstf has the same rule for its
 * traces, in code of its own, since it stands alone.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *file;
	char *path; /* what the temporary name becomes; NULL: written directly */
	char *temporary;
};

/*
 * Create path, or the file that it is a symbolic link to; "-" is standard output, and
 * what exists and is no regular file is written directly. Returns 0, or -1 with errno
 * set and nothing to close.
 */
int outfile_open(struct outfile *out, const char *path);

/*
 * Complete the file, or remove it if it is not to be kept. Returns 0, or -1 with
 * errno set; the file is then removed, too. Earlier errors of out->file count.
 */
int outfile_close(struct outfile *out, bool keep);

#endif
