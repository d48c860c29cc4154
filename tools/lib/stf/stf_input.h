/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a trace: those of a file, a pipe, memory or functions of the program, or
 * the bytes after decompression. There are two kinds: stf_input.c (the bytes as they are)
 * and stf_input_filter.c.
 */
#ifndef STF_STF_INPUT_H
#define STF_STF_INPUT_H

#include "stf/stf_error.h"

struct stf_input {
	/*
	 * Read the next bytes into buf, at most size. size is more than 0. Returns the
	 * number of bytes, 0 at the end, or an error whose text is set.
	 */
	int64_t (*read)(struct stf_input *in, void *buf, size_t size);
	void (*close)(struct stf_input *in);
	struct stf_error *err; /* belongs to the reader */
	const char *path; /* for messages; belongs to the reader */
	uint64_t bytes_read; /* bytes before any decompression */
	/*
	 * Read size bytes at an offset, or all bytes up to the end if these are fewer.
	 * Returns the number of bytes, or -1 with errno set. NULL if it is not possible
	 * to seek in the input.
	 */
	int64_t (*read_at)(struct stf_input *in, void *buf, size_t size,
			   uint64_t offset);
	uint64_t size; /* all bytes, if read_at is set */
	/* any thread may call read_at, and several at the same time */
	bool any_thread;
	/* all bytes, if they are in memory; otherwise NULL */
	const uint8_t *memory;
};

/*
 * Where a trace is read from: the first of path, calls and memory that is set, or else
 * fd.
 */
struct stf_origin {
	const char *name; /* for messages, unless the options have a name */
	const char *path;
	const struct stf_read_calls *calls;
	const void *memory;
	size_t size; /* bytes of memory */
	int fd;
};

/*
 * Open an input. Returns NULL with *err set on failure. The memory and the descriptor
 * belong to the program. The input has a copy of the descriptor.
 */
struct stf_input *stf_input_open(const struct stf_origin *from, const char *path,
				 struct stf_error *err);

/*
 * Open the trace in a container, to read it from its start to its end. For a .zstf, these
 * are the chunks without the index. `from` belongs to the new input, also on failure.
 * Returns NULL with the text set on failure.
 */
struct stf_input *stf_input_unpack(struct stf_input *from,
				   enum stf_container container);

/*
 * Returns the container that the first bytes of an input show: STF_CONTAINER_PLAIN if
 * they show no other. The input must just have been opened. The first bytes are read
 * again later. Returns an error, whose text is set, if the input cannot be read.
 */
int stf_input_container(struct stf_input *in);

#endif
