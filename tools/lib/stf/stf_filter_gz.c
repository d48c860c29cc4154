// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_filter.h"

#include <stdlib.h>

#include "stf/stf_load.h"

/* zlib's z_stream: its layout is part of the binary interface of libz.so.1. */
struct z_stream {
	const uint8_t *next_in;
	unsigned int avail_in;
	unsigned long total_in;
	uint8_t *next_out;
	unsigned int avail_out;
	unsigned long total_out;
	const char *msg;
	void *state;
	void *zalloc, *zfree, *opaque;
	int data_type;
	unsigned long adler;
	unsigned long reserved;
};

/* As zlib.h has them. */
enum {
	Z_OK = 0,
	Z_STREAM_END = 1,
	Z_BUF_ERROR = -5,
	Z_NO_FLUSH = 0,
	Z_FINISH = 4,
	Z_DEFLATED = 8,
	Z_DEFAULT_LEVEL = -1,
	WINDOW_GZIP = 15 + 16,
	MEM_LEVEL = 8,
};

struct gz {
	struct stf_filter filter;
	struct z_stream z;
	bool compress;
	bool ended;
	int (*run)(struct z_stream *z, int flush);
	int (*end)(struct z_stream *z);
	int (*reset)(struct z_stream *z);
};

static unsigned int clamp(size_t n)
{
	return n < 1u << 30 ? (unsigned int)n : 1u << 30;
}

static int gz_step(struct stf_filter *filter, bool last)
{
	struct gz *gz = (struct gz *)filter;
	struct z_stream *z = &gz->z;
	unsigned int n_in = clamp(filter->n_in), n_out = clamp(filter->n_out);
	int ret;

	/* One .gz may be several, one behind the other. */
	if (gz->ended)
		gz->reset(z);
	z->next_in = filter->in;
	z->avail_in = n_in;
	z->next_out = filter->out;
	z->avail_out = n_out;
	ret = gz->run(z, last && gz->compress ? Z_FINISH : Z_NO_FLUSH);
	filter->in += n_in - z->avail_in;
	filter->n_in -= n_in - z->avail_in;
	filter->out += n_out - z->avail_out;
	filter->n_out -= n_out - z->avail_out;
	gz->ended = ret == Z_STREAM_END;
	if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
		return stf_fail(filter->err, STF_E_CONTAINER,
				"%s: cannot be decompressed: %s", filter->path,
				z->msg ? z->msg : "zlib gave up");
	return gz->ended;
}

static void gz_close(struct stf_filter *filter)
{
	struct gz *gz = (struct gz *)filter;

	gz->end(&gz->z);
	free(gz);
}

static int start(struct gz *gz, const char *path, struct stf_error *err)
{
	const char *(*version)(void);
	int (*deflate_init)(struct z_stream *z, int level, int method,
			    int window, int memory, int strategy,
			    const char *version, int size);
	int (*inflate_init)(struct z_stream *z, int window, const char *version,
			    int size);
	const struct stf_symbol both[] = {
		{ "zlibVersion", &version },
		{ gz->compress ? "deflate" : "inflate", &gz->run },
		{ gz->compress ? "deflateEnd" : "inflateEnd", &gz->end },
		{ gz->compress ? "deflateReset" : "inflateReset", &gz->reset },
		{ gz->compress ? "deflateInit2_" : "inflateInit2_",
		  gz->compress ? (void *)&deflate_init : (void *)&inflate_init },
	};
	const char *hint = gz->compress ? "write to - and pipe it to gzip" :
					  "zcat the trace and read -";
	int size = sizeof(struct z_stream), ret;

	ret = stf_load("libz.so.1", both, sizeof(both) / sizeof(both[0]), hint,
		       path, err);
	if (ret)
		return ret;
	if (gz->compress)
		ret = deflate_init(&gz->z, Z_DEFAULT_LEVEL, Z_DEFLATED,
				   WINDOW_GZIP, MEM_LEVEL, 0, version(), size);
	else
		ret = inflate_init(&gz->z, WINDOW_GZIP, version(), size);
	return ret == Z_OK ? 0 : stf_fail(err, STF_E_NOMEM,
					  "%s: zlib does not start", path);
}

struct stf_filter *stf_filter_gz(bool compress, const char *path,
				 struct stf_error *err)
{
	struct gz *gz = calloc(1, sizeof(*gz));

	if (!gz) {
		stf_no_memory(err, path);
		return NULL;
	}
	gz->compress = compress;
	gz->filter = (struct stf_filter){ .step = gz_step, .close = gz_close,
					  .path = path, .err = err };
	if (start(gz, path, err)) {
		free(gz);
		return NULL;
	}
	return &gz->filter;
}
