// SPDX-License-Identifier: GPL-2.0-only
#include "champsim/packed.h"

#include <errno.h>
#include <string.h>

#include "stf/stf_filter.h"

enum { OUT_BYTES = 65536 };

int packed_open(struct packed *packed, const char *path, struct error *error)
{
	enum stf_container container = stf_container_by_name(path);

	*packed = (struct packed){ .path = path };
	if (container == STF_CONTAINER_ZSTF)
		return error_set(error, ERROR_OUTPUT,
				 "%s: .zstf is a container of STF; use a name that ends in .xz, .gz or something else",
				 path);
	if (container != STF_CONTAINER_PLAIN) {
		packed->filter = stf_filter_new(container, true, path, &packed->err);
		if (!packed->filter)
			return error_set(error, ERROR_OUTPUT, "%s", packed->err.text);
	}
	if (!outfile_open(&packed->out, path))
		return 0;
	error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	if (packed->filter)
		packed->filter->close(packed->filter);
	return ERROR_OUTPUT;
}

static int write_plain(struct packed *packed, const void *data, size_t n,
		       struct error *error)
{
	if (fwrite(data, 1, n, packed->out.file) == n)
		return 0;
	return error_set(error, ERROR_OUTPUT, "cannot write %s: %s", packed->path,
			 strerror(errno));
}

/* Compress the bytes, and with last all that the filter still has. */
static int compress(struct packed *packed, const void *data, size_t n, bool last,
		    struct error *error)
{
	struct stf_filter *filter = packed->filter;
	uint8_t out[OUT_BYTES];
	int ended;

	filter->in = data;
	filter->n_in = n;
	do {
		filter->out = out;
		filter->n_out = sizeof(out);
		ended = filter->step(filter, last);
		if (ended < 0)
			return error_set(error, ERROR_OUTPUT, "%s", packed->err.text);
		if (write_plain(packed, out, sizeof(out) - filter->n_out, error))
			return ERROR_OUTPUT;
	} while (last ? !ended : filter->n_in || !filter->n_out);
	return 0;
}

int packed_write(struct packed *packed, const void *data, size_t n,
		 struct error *error)
{
	return packed->filter ? compress(packed, data, n, false, error) :
				write_plain(packed, data, n, error);
}

int packed_close(struct packed *packed, bool keep, struct error *error)
{
	int ret = 0;

	if (packed->filter) {
		if (keep)
			ret = compress(packed, NULL, 0, true, error);
		packed->filter->close(packed->filter);
	}
	if (outfile_close(&packed->out, keep && !ret) && !ret)
		ret = error_set(error, ERROR_OUTPUT, "cannot write %s: %s",
				packed->path, strerror(errno));
	return ret;
}
