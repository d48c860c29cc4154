// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_filter.h"

#include <stdlib.h>
#include <zstd.h>

struct unzstd {
	struct stf_filter filter;
	ZSTD_DStream *stream;
};

static int unzstd_step(struct stf_filter *filter, bool last)
{
	struct unzstd *z = (struct unzstd *)filter;
	ZSTD_inBuffer in = { filter->in, filter->n_in, 0 };
	ZSTD_outBuffer out = { filter->out, filter->n_out, 0 };
	size_t ret = ZSTD_decompressStream(z->stream, &out, &in);

	(void)last;
	if (ZSTD_isError(ret))
		return stf_fail(filter->err, STF_E_CONTAINER,
				"%s: cannot be decompressed: %s", filter->path,
				ZSTD_getErrorName(ret));
	filter->in += in.pos;
	filter->n_in -= in.pos;
	filter->out += out.pos;
	filter->n_out -= out.pos;
	return !ret;
}

static void unzstd_close(struct stf_filter *filter)
{
	struct unzstd *z = (struct unzstd *)filter;

	ZSTD_freeDStream(z->stream);
	free(z);
}

struct stf_filter *stf_filter_unzstd(const char *path, struct stf_error *err)
{
	struct unzstd *z = calloc(1, sizeof(*z));

	if (z)
		z->stream = ZSTD_createDStream();
	if (!z || !z->stream) {
		free(z);
		stf_no_memory(err, path);
		return NULL;
	}
	z->filter = (struct stf_filter){ .step = unzstd_step,
					 .close = unzstd_close,
					 .path = path, .err = err };
	return &z->filter;
}
