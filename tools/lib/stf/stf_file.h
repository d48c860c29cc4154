/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the bytes of a trace go: a file that has its name only when it is complete,
 * since it is written under a temporary name beside it. Standard output, descriptors,
 * the program's functions and what is no regular file are written directly.
 */
#ifndef STF_STF_FILE_H
#define STF_STF_FILE_H

#include "stf/stf_error.h"

/* What a trace is written to: the first that is set of these, else fd. */
struct stf_target {
	const char *name; /* for messages, unless the options have one */
	const char *path;
	const struct stf_write_calls *calls;
	int fd;
};

struct stf_file {
	/* The program's, or the library's own for fd. write_at is NULL where it
	 * is not possible. */
	struct stf_write_calls calls;
	int fd; /* a copy of the program's, or opened here; -1: none */
	uint64_t start; /* where in fd the trace starts */
	const char *path; /* the name for messages; the writer's */
	char *target; /* what the temporary name becomes; NULL if direct */
	char *temporary;
	uint64_t size; /* bytes written by stf_file_write() */
	struct stf_error *err; /* the writer's */
};

/* Each returns 0, or an error whose text is in *file->err. */
int stf_file_open(struct stf_file *file, const struct stf_target *to,
		  const char *path, struct stf_error *err);
int stf_file_write(struct stf_file *file, const void *data, size_t size);

/* Write at a place; the end that stf_file_write() writes at does not move. */
int stf_file_write_at(struct stf_file *file, const void *data, size_t size,
		      uint64_t offset);

/* Close and rename. */
int stf_file_commit(struct stf_file *file);

/* Close, and remove what was written if it was not committed. */
void stf_file_close(struct stf_file *file);

#endif
