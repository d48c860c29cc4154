// SPDX-License-Identifier: BSD-2-Clause
/* Bytes that a filter decompresses from another input. */
#include <stdlib.h>

#include "stf/stf_bytes.h"
#include "stf/stf_filter.h"
#include "stf/stf_input.h"
#include "stf/stf_zstf.h"

struct filtered {
	struct stf_input in;
	struct stf_input *from;
	struct stf_filter *filter;
	uint64_t left; /* compressed bytes not read yet */
	bool counted; /* the container's header tells them */
	bool no_more; /* bytes to read */
	bool ended; /* nothing is missing from the stream */
	uint8_t bytes[128 << 10];
};

static int fill(struct filtered *f)
{
	struct stf_input *from = f->from;
	size_t size = sizeof(f->bytes);
	int64_t n;

	f->filter->in = f->bytes;
	if (from->memory) {
		/* All at once, where it is. */
		f->filter->in = from->memory + from->bytes_read;
		n = (int64_t)(from->size - from->bytes_read);
		if ((uint64_t)n > f->left)
			n = (int64_t)f->left;
		from->bytes_read = from->size;
	} else {
		if (size > f->left)
			size = (size_t)f->left;
		n = size ? from->read(from, f->bytes, size) : 0;
	}
	if (n < 0)
		return (int)n;
	f->left -= (uint64_t)n;
	f->filter->n_in = (size_t)n;
	f->no_more = !n;
	f->in.bytes_read = from->bytes_read;
	return 0;
}

static int cut_short(struct stf_input *in)
{
	return stf_fail(in->err, STF_E_CUT, "%s: the compressed trace is cut short",
			in->path);
}

static int64_t filtered_read(struct stf_input *in, void *buf, size_t size)
{
	struct filtered *f = (struct filtered *)in;
	struct stf_filter *filter = f->filter;
	int ret;

	filter->out = buf;
	filter->n_out = size;
	while (filter->n_out == size) {
		if (!filter->n_in && !f->no_more) {
			ret = fill(f);
			if (ret)
				return ret;
		}
		if (!filter->n_in && f->no_more && f->ended) {
			/* A chunk is whole, but more should follow. */
			if (f->counted && f->left)
				return cut_short(in);
			return 0;
		}
		ret = filter->step(filter, f->no_more);
		if (ret < 0)
			return ret;
		f->ended = ret;
		if (!ret && f->no_more && filter->n_out == size)
			return cut_short(in);
	}
	return (int64_t)(size - filter->n_out);
}

static void filtered_close(struct stf_input *in)
{
	struct filtered *f = (struct filtered *)in;

	f->filter->close(f->filter);
	f->from->close(f->from);
	free(f);
}

/* The container's header. Returns the bytes of its chunks, or 0 with the text set. */
static uint64_t read_header(struct stf_input *from)
{
	uint8_t header[ZSTF_CHUNKS];
	size_t done = 0;
	uint64_t end;

	while (done < sizeof(header)) {
		int64_t n = from->read(from, header + done,
				       sizeof(header) - done);

		if (!n)
			stf_fail(from->err, STF_E_CUT,
				 "%s: cut inside the container's header",
				 from->path);
		if (n <= 0)
			return 0;
		done += (size_t)n;
	}
	end = stf_get64(header + ZSTF_END);
	if (end > ZSTF_CHUNKS)
		return end - ZSTF_CHUNKS;
	stf_fail(from->err, STF_E_CONTAINER,
		 "%s: the container was not completed by its writer; it can be read as a file, not from a pipe",
		 from->path);
	return 0;
}

struct stf_input *stf_input_unpack(struct stf_input *from,
				   enum stf_container container)
{
	struct filtered *f;

	if (container == STF_CONTAINER_PLAIN)
		return from;
	f = calloc(1, sizeof(*f));
	if (f) {
		f->in = (struct stf_input){ .read = filtered_read,
					    .close = filtered_close,
					    .err = from->err,
					    .path = from->path };
		f->from = from;
		f->counted = container == STF_CONTAINER_ZSTF;
		f->left = f->counted ? read_header(from) : UINT64_MAX;
		if (f->left)
			f->filter = stf_filter_new(container, false, from->path,
						   from->err);
		if (f->filter)
			return &f->in;
		free(f);
	} else {
		stf_no_memory(from->err, from->path);
	}
	from->close(from);
	return NULL;
}
