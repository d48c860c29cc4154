/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read records one after the other from a mapped file or a pipe. They can be compressed
 * or have the other byte order. The caller gets whole records in the byte order of this
 * machine.
 */
#ifndef PERFDATA_STREAM_H
#define PERFDATA_STREAM_H

#include "perfdata/block.h"
#include "perfdata/order.h"

#include <stdbool.h>
#include <zstd.h>

struct pd;

struct pd_stream {
	/* A part of a mapped file. NULL: a pipe. */
	const uint8_t *start, *pos, *end;
	/* pages before it were given back to the system; NULL: keep all pages */
	const uint8_t *held;
	/* For a pipe: the bytes from in_pos to in->used have been read ahead. */
	struct pd_block *in;
	size_t in_pos;
	bool eof;
	uint64_t offset; /* all bytes that were taken */
	/* The content of all COMPRESSED records is one zstd stream. */
	ZSTD_DStream *zstd;
	ZSTD_inBuffer input;
	struct pd_block *input_block;
	uint64_t input_at; /* the offset of the compressed record */
	bool draining; /* zstd may have more output than it has given */
	struct pd_block *out;
	size_t out_pos;
	/* The record of this stream that waits for its turn among the streams. */
	struct pd_entry head;
};

/*
 * Read the next record. Returns 1, 0 at the end, or PD_E*. entry->rec is valid as long as
 * the caller holds the reference in entry->block. entry->time is not set. For perf's own
 * records (PD_USER_FIRST and higher), the header is in the byte order of this machine,
 * and the body is as in the file.
 */
int pd_stream_next(struct pd *pd, struct pd_stream *s, struct pd_entry *entry);

/* Note that a record which waited is read again. The system then maps its pages again. */
static inline void pd_stream_look_back(struct pd_stream *s,
				       const struct pd_entry *entry)
{
	if (s->held && !entry->block && entry->rec < s->held)
		s->held = entry->rec;
}

/*
 * Read bytes that follow a record into buf. buf is NULL to skip them. Returns 0, 1 if the
 * recording was cut in them, or PD_E*.
 */
int pd_stream_read(struct pd *pd, struct pd_stream *s, void *buf,
		   uint64_t size);

void pd_stream_close(struct pd *pd, struct pd_stream *s);

#endif
