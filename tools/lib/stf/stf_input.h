/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a trace that is read from its start to its end: those of a file or
 * a pipe, or what they decompress to. Its kinds are siblings: stf_input.c (the
 * bytes themselves) and stf_input_filter.c.
 */
#ifndef STF_STF_INPUT_H
#define STF_STF_INPUT_H

#include <sys/types.h>

#include "stf/stf_error.h"

struct stf_input {
	/*
	 * Up to size bytes (more than 0) to buf. Returns how many, 0 at the
	 * end, or an error whose text is set.
	 */
	ssize_t (*read)(struct stf_input *in, void *buf, size_t size);
	void (*close)(struct stf_input *in);
	struct stf_error *err; /* the reader's */
	const char *path; /* for messages; the reader's */
	uint64_t bytes_read; /* from the file */
};

/* What its first bytes say a file is. */
enum stf_format {
	STF_FORMAT_PLAIN, /* or anything unknown */
	STF_FORMAT_ZSTF,
	STF_FORMAT_ZSTD,
	STF_FORMAT_GZ,
	STF_FORMAT_XZ,
};

enum { STF_FORMAT_BYTES = 6 }; /* that stf_format() needs to tell */

enum stf_format stf_format(const uint8_t *p, size_t n);

/*
 * Each takes over what it reads from, on failure too, and returns NULL with *err
 * set. head are bytes that were read from fd already, at most
 * STF_FORMAT_BYTES.
 */
struct stf_input *stf_input_fd(int fd, const uint8_t *head, size_t n,
			       const char *path, struct stf_error *err);
struct stf_input *stf_input_zstd(struct stf_input *from);
struct stf_input *stf_input_gz(struct stf_input *from);
struct stf_input *stf_input_xz(struct stf_input *from);

/* The chunks of a .zstf one after the other, without its index. */
struct stf_input *stf_input_zstf(struct stf_input *from);

/* read(2) until size bytes are there or the file ends. Returns how many, or -1
 * with errno. */
ssize_t stf_read_fully(int fd, void *buf, size_t size);

#endif
