/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of the reader, for the layers that are built on it. */
#ifndef STF_STF_READER_H
#define STF_STF_READER_H

#include "stf/stf_codec.h"
#include "stf/stf_source.h"

struct stf_reader {
	struct stf_source *src;
	struct stf_codec codec;
	struct stf_params params;
	/* What the header tells about the first instruction. */
	struct stf_process process;
	uint64_t pc;
	bool has_pc;
	struct stf_text *clocks; /* by their ids, which are below 256; NULL: none */
	/* there were records whose layout depends on the header */
	bool in_body;
	struct stf_scratch scratch;
	uint64_t records;
	uint64_t instructions;
	int failed; /* the error that each later call returns */
	struct stf_error err;
	char *path;
};

/*
 * Like stf_reader_next(), but the bytes from win.keep of the source on stay valid. If
 * they move, win.keep is changed.
 */
int stf_reader_step(struct stf_reader *reader, struct stf_record *rec);

/* Fail at win.pos: "FILE: at byte N: ...". Returns code. */
int stf_reader_fail(struct stf_reader *reader, enum stf_err code,
		    const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Count the opcode or transaction that ends at win.pos. */
static inline void stf_reader_marker(struct stf_reader *reader)
{
	struct stf_window *win = &reader->src->win;

	win->marker_end = win->pos;
	win->markers++;
	reader->instructions++;
}

#endif
