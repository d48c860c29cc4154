// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_filter.h"

#include <stdlib.h>

#include "stf/stf_load.h"

/* lzma_stream: its layout is part of the binary interface of liblzma.so.5. */
struct lzma_stream {
	const uint8_t *next_in;
	size_t avail_in;
	uint64_t total_in;
	uint8_t *next_out;
	size_t avail_out;
	uint64_t total_out;
	const void *allocator;
	void *internal;
	void *reserved_pointers[4];
	uint64_t reserved_numbers[2];
	size_t reserved_sizes[2];
	int reserved_enums[2];
};

/* As lzma.h has them. */
enum {
	LZMA_OK = 0,
	LZMA_STREAM_END = 1,
	LZMA_MEM_ERROR = 5,
	LZMA_MEMLIMIT_ERROR = 6,
	LZMA_FORMAT_ERROR = 7,
	LZMA_OPTIONS_ERROR = 8,
	LZMA_DATA_ERROR = 9,
	LZMA_BUF_ERROR = 10,
	LZMA_RUN = 0,
	LZMA_FINISH = 3,
	LZMA_CHECK_CRC64 = 4,
	LZMA_CONCATENATED = 8,
};

/* Level 3's window is 4 MiB; level 6 would take 94 MiB to compress. */
enum { PRESET = 3 };

/* What `xz -9` takes to decompress is 65 MiB; a file may ask for 4 GiB. */
#define MEMORY_LIMIT (UINT64_C(80) << 20)

struct xz {
	struct stf_filter filter;
	struct lzma_stream s;
	int (*code)(struct lzma_stream *s, int action);
	void (*end)(struct lzma_stream *s);
};

static const char *reason(int ret)
{
	switch (ret) {
	case LZMA_MEM_ERROR:
		return "no memory";
	case LZMA_MEMLIMIT_ERROR:
		return "it would take more than 80 MiB of memory";
	case LZMA_OPTIONS_ERROR:
		return "it uses options that liblzma does not know";
	}
	return "the data are damaged";
}

static int xz_step(struct stf_filter *filter, bool last)
{
	struct xz *xz = (struct xz *)filter;
	struct lzma_stream *s = &xz->s;
	int ret;

	s->next_in = filter->in;
	s->avail_in = filter->n_in;
	s->next_out = filter->out;
	s->avail_out = filter->n_out;
	ret = xz->code(s, last ? LZMA_FINISH : LZMA_RUN);
	filter->in = s->next_in;
	filter->n_in = s->avail_in;
	filter->out = s->next_out;
	filter->n_out = s->avail_out;
	if (ret > LZMA_STREAM_END && ret != LZMA_BUF_ERROR)
		return stf_fail(filter->err, STF_E_CONTAINER, "%s: xz: %s",
				filter->path, reason(ret));
	return ret == LZMA_STREAM_END;
}

static void xz_close(struct stf_filter *filter)
{
	struct xz *xz = (struct xz *)filter;

	xz->end(&xz->s);
	free(xz);
}

static int start(struct xz *xz, bool compress, const char *path,
		 struct stf_error *err)
{
	int (*encoder)(struct lzma_stream *s, uint32_t preset, int check);
	int (*decoder)(struct lzma_stream *s, uint64_t memory, uint32_t flags);
	const struct stf_symbol symbols[] = {
		{ "lzma_code", &xz->code },
		{ "lzma_end", &xz->end },
		{ "lzma_easy_encoder", &encoder },
		{ "lzma_stream_decoder", &decoder },
	};
	const char *hint = compress ? "write to - and pipe it to xz" :
				      "xzcat the trace and read -";
	int ret = stf_load("liblzma.so.5", symbols,
			   sizeof(symbols) / sizeof(symbols[0]), hint, path,
			   err);

	if (ret)
		return ret;
	ret = compress ? encoder(&xz->s, PRESET, LZMA_CHECK_CRC64) :
			 decoder(&xz->s, MEMORY_LIMIT, LZMA_CONCATENATED);
	return ret == LZMA_OK ? 0 : stf_fail(err, STF_E_NOMEM,
					     "%s: liblzma does not start", path);
}

struct stf_filter *stf_filter_xz(bool compress, const char *path,
				 struct stf_error *err)
{
	struct xz *xz = calloc(1, sizeof(*xz));

	if (!xz) {
		stf_no_memory(err, path);
		return NULL;
	}
	xz->filter = (struct stf_filter){ .step = xz_step, .close = xz_close,
					  .path = path, .err = err };
	if (start(xz, compress, path, err)) {
		free(xz);
		return NULL;
	}
	return &xz->filter;
}
