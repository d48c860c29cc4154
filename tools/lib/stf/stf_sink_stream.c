// SPDX-License-Identifier: BSD-2-Clause
/* A trace written from its start to its end: plain, or compressed as a whole. */
#include "stf/stf_sink.h"

#include <stdlib.h>

#include "stf/stf_filter.h"

struct stream {
	struct stf_sink sink;
	struct stf_filter *filter; /* NULL: plain */
	uint8_t buf[64 << 10];
};

static int push(struct stream *s, const uint8_t *data, size_t size, bool last)
{
	struct stf_filter *filter = s->filter;
	int ret = 0, err;

	if (!filter)
		return stf_file_write(s->sink.file, data, size);
	filter->in = data;
	filter->n_in = size;
	while (filter->n_in || (last && !ret)) {
		filter->out = s->buf;
		filter->n_out = sizeof(s->buf);
		ret = filter->step(filter, last);
		if (ret < 0)
			return ret;
		err = stf_file_write(s->sink.file, s->buf,
				     sizeof(s->buf) - filter->n_out);
		if (err)
			return err;
	}
	return 0;
}

static int stream_put(struct stf_sink *sink, uint8_t **buf, size_t *room,
		      size_t size, uint64_t pc)
{
	(void)room;
	(void)pc;
	return push((struct stream *)sink, *buf, size, false);
}

static int stream_finish(struct stf_sink *sink)
{
	static const uint8_t none;

	return push((struct stream *)sink, &none, 0, true);
}

static void stream_close(struct stf_sink *sink)
{
	struct stream *s = (struct stream *)sink;

	if (s->filter)
		s->filter->close(s->filter);
	free(s);
}

static const struct stf_sink_ops stream_ops = {
	.put = stream_put,
	.finish = stream_finish,
	.close = stream_close,
};

struct stf_sink *stf_sink_stream(struct stf_file *file,
				 enum stf_container container)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s) {
		stf_no_memory(file->err, file->path);
		return NULL;
	}
	s->sink.ops = &stream_ops;
	s->sink.file = file;
	if (container == STF_CONTAINER_PLAIN)
		return &s->sink;
	s->filter = stf_filter_new(container, true, file->path, file->err);
	if (s->filter)
		return &s->sink;
	free(s);
	return NULL;
}
