/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The folder of a collector: one file for each period, and the file "state". A file has
 * the name LABEL-NUMBER.counts. The label is random and is made once. A number is never
 * used twice: it is marked as used, on the disk, before its file gets its name.
 *
 * Only one process at a time uses a folder. Files with other names are left alone. The folder
 * is one by own_folder() (base/own.h), and no link in it is followed.
 */
#ifndef COLLECT_SPOOL_H
#define COLLECT_SPOOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SPOOL_LABEL = 16, /* bytes */
	SPOOL_NAME = 64, /* room for a file's name, with its NUL */
};

struct spool {
	char *path;
	int dir; /* locked; -1: not open */
	uint8_t label[SPOOL_LABEL];
	uint64_t next; /* the number of the next file */
	bool claimed; /* the number is marked as used */
	/* What was found when the folder was opened: */
	bool killed; /* the last process did not end by itself */
	bool renamed; /* the state was damaged, so the label is new */
};

/*
 * Open the folder, which is made if it is not there, and remove what a killed process has
 * left. Returns 0, or ERROR_* with a text. Call spool_close() in either case: after an
 * error, it leaves the state as it is.
 */
int spool_open(struct spool *s, const char *path, struct error *error);

/*
 * Make sure that the folder is still the one that is locked. If another one has its name by
 * now, go on in that, with its label and behind its files. Returns 0, or ERROR_* with a text:
 * there is no folder, or another process uses it.
 */
int spool_hold(struct spool *s, struct error *error);

/*
 * Write the file of a period. write() makes the file `path` for the number s->next, which
 * is whole and on the disk when it has its name, and returns 0 or ERROR_* with a text.
 * Sets the name of the file, without its folder. Returns 0, or ERROR_* with a text. The
 * next call then tries the same number.
 */
int spool_write(struct spool *s, char name[SPOOL_NAME],
		int (*write)(void *arg, const char *path, struct error *error), void *arg,
		struct error *error);

/* Set the name of the file with this number, LABEL-NUMBER and the suffix. */
void spool_name(const struct spool *s, uint64_t number, const char *suffix,
		char name[SPOOL_NAME]);

/*
 * Returns whether the folder has a file of this label with a smaller number. The oldest ones
 * go first, so a number between two files was never that of a file.
 */
bool spool_has_older(const struct spool *s, uint64_t number);

struct spool_keep {
	uint64_t now; /* s since 1970 */
	uint64_t age; /* s; older files are removed. 0: any age */
	uint64_t size; /* bytes of all files together. 0: any size */
};

/*
 * Remove the oldest files until the others are as young and as small as asked for. The
 * newest file stays. Returns the number of files that were removed.
 */
unsigned int spool_rotate(const struct spool *s, const struct spool_keep *keep);

/*
 * The same for the files LABEL-NUMBER with this suffix in another folder, which were made
 * of those of the spool. Other machines may use that folder, too, so files of other labels
 * stay.
 */
unsigned int spool_rotate_in(const struct spool *s, const char *folder, const char *suffix,
			     const struct spool_keep *keep);

/*
 * ended: the process ends by itself, and has written all that it counted. If not, the next
 * one finds `killed`.
 */
void spool_close(struct spool *s, bool ended);

#endif
