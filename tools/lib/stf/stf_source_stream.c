// SPDX-License-Identifier: BSD-2-Clause
/*
 * A trace read from its start to its end through one buffer, or one in memory, which
 * needs no buffer. Files are read this way too, not mapped: a mapping is no faster by
 * more than a fifth, and a file that is cut while it is read would kill the process.
 */
#include "stf/stf_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Fits a second-level cache together with what is done with the records. */
#define FIRST_SIZE (256u << 10)

struct stream {
	struct stf_source src;
	uint8_t *buf;
	size_t size;
	uint64_t max;
};

/* Move what is kept to the front, and double the buffer if it is full of it. */
static int make_room(struct stream *s)
{
	struct stf_window *win = &s->src.win;
	size_t gone = win->start ? (size_t)(win->keep - win->start) : 0;
	size_t kept = win->start ? (size_t)(win->end - win->keep) : 0;
	size_t pos = win->start ? (size_t)(win->pos - win->keep) : 0;

	if (kept)
		memmove(s->buf, win->keep, kept);
	if (kept == s->size) {
		size_t size = s->size ? s->size * 2 : FIRST_SIZE;
		uint8_t *buf;

		if (size > s->max)
			size = s->max;
		if (size <= kept)
			return stf_fail(s->src.in->err, STF_E_NOMEM,
					"%s: a record or group of more than %zu bytes, at byte %" PRIu64,
					s->src.in->path, kept, win->offset + gone);
		buf = realloc(s->buf, size);
		if (!buf)
			return stf_fail(s->src.in->err, STF_E_NOMEM,
					"%s: no memory for %zu bytes",
					s->src.in->path, size);
		s->buf = buf;
		s->size = size;
	}
	win->start = win->keep = s->buf;
	win->pos = s->buf + pos;
	win->end = s->buf + kept;
	win->offset += gone;
	return 0;
}

/* A trace in memory is one window. */
static int show_memory(struct stf_source *src)
{
	struct stf_window *win = &src->win;
	struct stf_input *in = src->in;

	if (win->start || !in->size)
		return 0;
	win->start = win->pos = win->keep = in->memory;
	win->end = in->memory + in->size;
	in->bytes_read = in->size;
	return 1;
}

static int stream_more(struct stf_source *src)
{
	struct stream *s = (struct stream *)src;
	struct stf_window *win = &src->win;
	int64_t n;
	int err;

	if (src->in->memory)
		return show_memory(src);
	err = make_room(s);
	if (err)
		return err;
	n = src->in->read(src->in, s->buf + (win->end - s->buf),
			  s->size - (size_t)(win->end - s->buf));
	if (n < 0)
		return (int)n;
	win->end += n;
	return n > 0;
}

static void stream_close(struct stf_source *src)
{
	struct stream *s = (struct stream *)src;

	s->src.in->close(s->src.in);
	free(s->buf);
	free(s);
}

static const struct stf_source_ops stream_ops = {
	.more = stream_more,
	.close = stream_close,
};

struct stf_source *stf_source_stream(struct stf_input *in,
				     enum stf_container container,
				     uint64_t max_buffer)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s) {
		stf_no_memory(in->err, in->path);
		in->close(in);
		return NULL;
	}
	s->src.ops = &stream_ops;
	s->src.container = container;
	s->src.in = in;
	s->max = max_buffer;
	return &s->src;
}
