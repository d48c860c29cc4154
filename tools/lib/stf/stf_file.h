/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that has its name only when it is complete: it is written under a
 * temporary name beside it. Standard output and what is no regular file are
 * written directly.
 */
#ifndef STF_STF_FILE_H
#define STF_STF_FILE_H

#include "stf/stf_error.h"

struct stf_file {
	int fd;
	char *path; /* the name for messages */
	char *target; /* what the temporary name becomes; NULL if direct */
	char *temporary;
	uint64_t size; /* bytes written by stf_file_write() */
	struct stf_error *err;
};

/* Each returns 0, or an error whose text is in *file->err. */
int stf_file_open(struct stf_file *file, const char *path,
		  struct stf_error *err);
int stf_file_write(struct stf_file *file, const void *data, size_t size);

/* Write at a place; the end that stf_file_write() writes at does not move. */
int stf_file_write_at(struct stf_file *file, uint64_t offset, const void *data,
		      size_t size);

/* Close and rename. */
int stf_file_commit(struct stf_file *file);

/* Close, and remove what was written if it was not committed. */
void stf_file_close(struct stf_file *file);

#endif
