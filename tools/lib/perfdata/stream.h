/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records one after another, out of a mapped file or a pipe, whether compressed
 * or of the other byte order: whoever takes them sees whole records of this
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
	/* A mapped file's part; NULL: a pipe. */
	const uint8_t *start, *pos, *end;
	const uint8_t *held; /* pages before it were given back; NULL: keep all */
	/* A pipe: bytes from in_pos to in->used have been read ahead. */
	struct pd_block *in;
	size_t in_pos;
	bool eof;
	uint64_t offset; /* bytes taken, in all */
	/* What is inside COMPRESSED records is one zstd stream. */
	ZSTD_DStream *zstd;
	ZSTD_inBuffer input;
	struct pd_block *input_block;
	bool draining; /* zstd may hold more than it gave */
	struct pd_block *out;
	size_t out_pos;
	/* The record that waits for its turn among those of other streams. */
	struct pd_entry head;
};

/*
 * The next record: 1, 0 at the end, PD_E*. entry->rec is valid as long as the
 * reference in entry->block is held; entry->time is not set. Headers of records
 * of perf's own (PD_USER_FIRST and up) are turned, their bodies are as in the
 * file.
 */
int pd_stream_next(struct pd *pd, struct pd_stream *s, struct pd_entry *entry);

/* A record that waited is looked at again, and so its pages are there again. */
static inline void pd_stream_look_back(struct pd_stream *s,
				       const struct pd_entry *entry)
{
	if (s->held && !entry->block && entry->rec < s->held)
		s->held = entry->rec;
}

/* Read bytes that follow a record, into buf, or nowhere if it is NULL. */
int pd_stream_read(struct pd *pd, struct pd_stream *s, void *buf,
		   uint64_t size);

void pd_stream_close(struct pd *pd, struct pd_stream *s);

#endif
