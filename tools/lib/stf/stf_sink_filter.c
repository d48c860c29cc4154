// SPDX-License-Identifier: BSD-2-Clause
/* A plain trace, compressed as a whole. */
#include "stf/stf_sink.h"

#include <stdlib.h>

#include "stf/stf_filter.h"

struct filtered {
	struct stf_sink sink;
	struct stf_filter *filter;
	uint8_t buf[64 << 10];
};

static int push(struct filtered *f, const uint8_t *data, size_t size, bool last)
{
	struct stf_filter *filter = f->filter;
	int ret = 0, err;

	filter->in = data;
	filter->n_in = size;
	while (filter->n_in || (last && !ret)) {
		filter->out = f->buf;
		filter->n_out = sizeof(f->buf);
		ret = filter->step(filter, last);
		if (ret < 0)
			return ret;
		err = stf_file_write(&f->sink.file, f->buf,
				     sizeof(f->buf) - filter->n_out);
		if (err)
			return err;
	}
	return 0;
}

static int filtered_put(struct stf_sink *sink, const uint8_t *data, size_t size,
			uint64_t pc)
{
	(void)pc;
	return push((struct filtered *)sink, data, size, false);
}

static int filtered_finish(struct stf_sink *sink)
{
	static const uint8_t none;

	return push((struct filtered *)sink, &none, 0, true);
}

static void filtered_close(struct stf_sink *sink)
{
	struct filtered *f = (struct filtered *)sink;

	f->filter->close(f->filter);
	free(f);
}

static const struct stf_sink_ops filtered_ops = {
	.put = filtered_put,
	.finish = filtered_finish,
	.close = filtered_close,
};

struct stf_sink *stf_sink_filter(const char *path, enum stf_container container,
				 struct stf_error *err)
{
	struct filtered *f = calloc(1, sizeof(*f));

	if (!f) {
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	f->sink.ops = &filtered_ops;
	f->sink.container = container;
	f->sink.err = err;
	if (stf_file_open(&f->sink.file, path, err)) {
		free(f);
		return NULL;
	}
	f->filter = container == STF_CONTAINER_GZ ?
			    stf_filter_gz(true, f->sink.file.path, err) :
			    stf_filter_xz(true, f->sink.file.path, err);
	if (!f->filter) {
		stf_file_close(&f->sink.file);
		free(f);
		return NULL;
	}
	return &f->sink;
}
