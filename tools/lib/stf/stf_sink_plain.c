// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_sink.h"

#include <stdlib.h>

static int plain_put(struct stf_sink *sink, const uint8_t *data, size_t size,
		     uint64_t pc)
{
	(void)pc;
	return stf_file_write(&sink->file, data, size);
}

static int plain_finish(struct stf_sink *sink)
{
	(void)sink;
	return 0;
}

static void plain_close(struct stf_sink *sink)
{
	free(sink);
}

static const struct stf_sink_ops plain_ops = {
	.put = plain_put,
	.finish = plain_finish,
	.close = plain_close,
};

struct stf_sink *stf_sink_plain(const char *path, struct stf_error *err)
{
	struct stf_sink *sink = calloc(1, sizeof(*sink));

	if (!sink) {
		stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
		return NULL;
	}
	sink->ops = &plain_ops;
	sink->container = STF_CONTAINER_PLAIN;
	sink->err = err;
	if (stf_file_open(&sink->file, path, err)) {
		free(sink);
		return NULL;
	}
	return sink;
}
