// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_SIZE (1u << 20)

struct stream {
	struct stf_source src;
	int fd;
	uint8_t *buf;
	size_t size;
	uint64_t max;
	uint64_t bytes_read;
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
			return stf_fail(s->src.err, STF_E_NOMEM,
					"%s: a record or group of more than %zu bytes, at byte %" PRIu64,
					s->src.path, kept, win->offset + gone);
		buf = realloc(s->buf, size);
		if (!buf)
			return stf_fail(s->src.err, STF_E_NOMEM,
					"%s: no memory for %zu bytes",
					s->src.path, size);
		s->buf = buf;
		s->size = size;
	}
	win->start = win->keep = s->buf;
	win->pos = s->buf + pos;
	win->end = s->buf + kept;
	win->offset += gone;
	return 0;
}

static int stream_more(struct stf_source *src)
{
	struct stream *s = (struct stream *)src;
	struct stf_window *win = &src->win;
	ssize_t n;
	int err;

	err = make_room(s);
	if (err)
		return err;
	do {
		n = read(s->fd, s->buf + (win->end - s->buf),
			 s->size - (size_t)(win->end - s->buf));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return stf_fail_errno(src->err, "%s", src->path);
	win->end += n;
	s->bytes_read += (uint64_t)n;
	return n > 0;
}

static void stream_stats(const struct stf_source *src, struct stf_stats *stats)
{
	const struct stream *s = (const struct stream *)src;

	stats->container = STF_CONTAINER_PLAIN;
	stats->file_bytes = s->bytes_read;
}

static void stream_close(struct stf_source *src)
{
	struct stream *s = (struct stream *)src;

	close(s->fd);
	free(s->buf);
	free(s);
}

static const struct stf_source_ops stream_ops = {
	.more = stream_more,
	.stats = stream_stats,
	.close = stream_close,
};

struct stf_source *stf_source_stream(int fd, const char *path,
				     uint64_t max_buffer,
				     struct stf_error *err)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s) {
		close(fd);
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	s->src.ops = &stream_ops;
	s->src.path = path;
	s->src.err = err;
	s->fd = fd;
	s->max = max_buffer;
	return &s->src;
}
