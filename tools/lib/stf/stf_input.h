/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a trace: those of a file, a pipe, memory or a program's functions, or
 * what they decompress to. Its kinds are siblings: stf_input.c (the bytes themselves)
 * and stf_input_filter.c.
 */
#ifndef STF_STF_INPUT_H
#define STF_STF_INPUT_H

#include "stf/stf_error.h"

struct stf_input {
	/*
	 * The next bytes, up to size (more than 0), to buf. Returns how many, 0
	 * at the end, or an error whose text is set.
	 */
	int64_t (*read)(struct stf_input *in, void *buf, size_t size);
	void (*close)(struct stf_input *in);
	struct stf_error *err; /* the reader's */
	const char *path; /* for messages; the reader's */
	uint64_t bytes_read; /* before any decompression */
	/*
	 * If the input can be sought, else NULL: the bytes at an offset, size of
	 * them or all up to the end. Returns how many, or -1 with errno.
	 */
	int64_t (*read_at)(struct stf_input *in, void *buf, size_t size,
			   uint64_t offset);
	uint64_t size; /* of all, if it can be sought */
	bool any_thread; /* may call read_at, several at a time */
	const uint8_t *memory; /* all bytes, if they are in memory; else NULL */
};

/* What a trace is read from: the first that is set of these, else fd. */
struct stf_origin {
	const char *name; /* for messages, unless the options have one */
	const char *path;
	const struct stf_read_calls *calls;
	const void *memory;
	size_t size; /* of memory */
	int fd;
};

/*
 * Returns NULL with *err set. The memory and the descriptor stay the program's; of the
 * descriptor there is a copy.
 */
struct stf_input *stf_input_open(const struct stf_origin *from, const char *path,
				 struct stf_error *err);

/*
 * The trace in a container that is read from its start to its end; of a .zstf, the
 * chunks without the index. Takes over `from`, on failure too. Returns NULL with the
 * text set.
 */
struct stf_input *stf_input_unpack(struct stf_input *from,
				   enum stf_container container);

/*
 * What the first bytes of an input that was just opened say it is: ..._PLAIN, if
 * nothing else, or an error whose text is set. They are read again afterwards.
 */
int stf_input_container(struct stf_input *in);

#endif
