/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file that gets the bytes of a trace. It is written under a temporary name in the
 * same folder, and gets its name when it is complete. Standard output, descriptors,
 * functions of the program and everything that is not a regular file are written
 * directly.
 */
#ifndef STF_STF_FILE_H
#define STF_STF_FILE_H

#include "stf/stf_error.h"

/* Where a trace is written to: the first of path and calls that is set, or else fd. */
struct stf_target {
	const char *name; /* for messages, unless the options have a name */
	const char *path;
	const struct stf_write_calls *calls;
	int fd;
};

struct stf_file {
	/*
	 * The functions of the program, or those of the library for fd. write_at is NULL
	 * if it is not possible, and why_stream then tells why a .zstf cannot be written.
	 */
	struct stf_write_calls calls;
	const char *why_stream;
	/* a copy of the program's descriptor, or opened here; -1: none */
	int fd;
	uint64_t start; /* the offset in fd at which the trace starts */
	const char *path; /* the name for messages; belongs to the writer */
	char *target; /* the final name; NULL: the file is written directly */
	char *temporary;
	uint64_t size; /* bytes that stf_file_write() has written */
	struct stf_error *err; /* belongs to the writer */
};

/* Each function returns 0, or an error whose text is in *file->err. */
int stf_file_open(struct stf_file *file, const struct stf_target *to,
		  const char *path, struct stf_error *err);
int stf_file_write(struct stf_file *file, const void *data, size_t size);

/* Write at an offset. This does not change where stf_file_write() writes next. */
int stf_file_write_at(struct stf_file *file, const void *data, size_t size,
		      uint64_t offset);

/* Close the file and rename it. */
int stf_file_commit(struct stf_file *file);

/* Close the file, and remove it if it was not committed. */
void stf_file_close(struct stf_file *file);

#endif
