/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are complete or do not exist. They are written under a temporary name in the
 * same folder, and renamed when they are complete. A signal that ends the program removes
 * them, too. libstf has the first rule for the traces that it opens by their path. It has
 * its own code for it, because it does not depend on other code.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *file;
	char *path; /* the final name; NULL: the file is written directly */
	char *temporary;
	bool synced; /* outfile_sync() was called */
	struct outfile *next; /* of those that a signal removes */
};

/*
 * From now on, signals by which a user or the system ends a program (SIGINT, SIGTERM,
 * SIGHUP, ...) remove the files that are not complete, and then end the program as before.
 * A signal that is ignored stays ignored.
 */
void outfile_remove_by_signals(void);

/*
 * Create path, or the file that it points to if it is a symbolic link. That file need not
 * exist, but its folder must. "-" is standard output. If path exists and is not a regular
 * file, or a file without a name (tempfile.h), it is written directly. Returns 0, or -1 with
 * errno set. On an error, there is nothing to close. *out must stay where it is until it is
 * closed.
 *
 * A file that replaces another one gets its permissions, and its owner and group if the
 * process may give them. If the group cannot be given, the permissions of the group are at
 * most those of all others.
 *
 * In a folder with the sticky bit that others can write, such as /tmp, a link or a file of
 * another user is refused with EACCES, unless the user has the folder, too. With the settings
 * fs.protected_symlinks and fs.protected_regular, open() does the same.
 */
int outfile_open(struct outfile *out, const char *path);

/*
 * As outfile_open(), but only the user can read and write the file, also if it replaces one
 * that others could read. What is written directly has the permissions that it has.
 */
int outfile_open_private(struct outfile *out, const char *path);

/*
 * As outfile_open(), for a file in a folder that has its name by the program and not by the
 * user: no link is followed, and only a regular file is replaced. Else errno is ELOOP.
 */
int outfile_open_inside(struct outfile *out, const char *path);

/*
 * Returns whether the files with these paths would get one name, by whatever words. Then
 * the second one that is complete would replace the first. None of them needs to exist.
 */
bool outfile_is_same(const char *a, const char *b);

/*
 * Returns whether a name, without its folder, is one that the functions here give to a file
 * that is not complete, and the process that wrote it does not run any more. *target is then
 * the number of bytes of the name that the complete file would have. This process may have
 * got the number of the one that wrote it, as the first process of a container always does.
 * So ask only where this process itself has no such file open.
 */
bool outfile_is_leftover(const char *name, size_t *target);

/* What is in the file can be used before it is complete, so signals leave it there. */
void outfile_stays(struct outfile *out);

/*
 * Write what file has in its buffer. Returns 0, or the errno of what cannot be written or
 * could not be written before. Then the file is damaged, and may get one more byte. As the
 * error is to be told once, file has neither data nor an error afterwards.
 */
int outfile_flush(FILE *file);

/*
 * Write the content to the disk, and wait for it. outfile_close() then also waits until the
 * disk has the name. So the file is complete or does not exist also after the machine has
 * failed. This takes some milliseconds. Returns 0, or -1 with errno set.
 */
int outfile_sync(struct outfile *out);

/*
 * Complete the file, or remove it if keep is false. Returns 0, or -1 with errno set. The
 * file is then removed, too. Earlier errors of out->file are also returned.
 */
int outfile_close(struct outfile *out, bool keep);

/*
 * Close the file as it is: incomplete, and under its temporary name, which is returned. The
 * caller frees it. Returns NULL if there is none.
 */
char *outfile_leave(struct outfile *out);

/* outfile_sync(), and outfile_close() to keep the file. Returns 0, or -1 with errno set. */
int outfile_commit(struct outfile *out);

#endif
