/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader's inside, for the layers built on it. */
#ifndef STF_STF_READER_H
#define STF_STF_READER_H

#include "stf/stf_codec.h"
#include "stf/stf_source.h"

struct stf_reader {
	struct stf_source *src;
	struct stf_codec codec;
	struct stf_params params;
	/* What the header says of the first instruction. */
	struct stf_process process;
	uint64_t pc;
	bool has_pc;
	bool in_body; /* records came whose layout depends on the header */
	struct stf_scratch scratch;
	uint64_t records;
	uint64_t instructions;
	int failed; /* what every later call returns */
	struct stf_error err;
	char *path;
};

/*
 * stf_reader_next(), but the bytes from the source's win.keep on stay valid,
 * with win.keep following them if they move.
 */
int stf_reader_step(struct stf_reader *reader, struct stf_record *rec);

/* Fail at the window's pos: "FILE: at byte N: ...". Returns code. */
int stf_reader_fail(struct stf_reader *reader, enum stf_err code,
		    const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Count the opcode or transaction that ends at the window's pos. */
static inline void stf_reader_marker(struct stf_reader *reader)
{
	struct stf_window *win = &reader->src->win;

	win->marker_end = win->pos;
	win->markers++;
	reader->instructions++;
}

#endif
