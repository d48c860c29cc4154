// SPDX-License-Identifier: GPL-2.0-only
#include "base/tempfile.h"
#include "countfile/levels.h"

#include <errno.h>
#include <unistd.h>

enum { LEVEL = 1 }; /* of zstd: these files are read once */

static int write_run(void *arg, const void *bytes, size_t size, struct error *error)
{
	struct cf_run *run = arg;
	const uint8_t *p = bytes;
	ssize_t n;

	run->size += size;
	for (; size; p += n, size -= (size_t)n) {
		do
			n = write(run->fd, p, size);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return tempfile_error(error);
	}
	return 0;
}

static int put_step(void *arg, const struct cf_step *step, struct error *error)
{
	return cf_out_step(&((struct cf_run *)arg)->out, step, error);
}

static int put_sample(void *arg, const struct cf_sample *sample, struct error *error)
{
	return cf_out_sample(&((struct cf_run *)arg)->out, sample, error);
}

int cf_run_begin(struct cf_run *run, struct cf_sink *sink, struct error *error)
{
	run->out.write = write_run;
	run->out.arg = run;
	run->out.packer.level = LEVEL;
	*sink = (struct cf_sink){ put_step, put_sample, run };
	run->fd = tempfile_open();
	if (run->fd < 0)
		return tempfile_error(error);
	return cf_out_begin(&run->out) ? 0 : error_nomem(error);
}

int cf_run_end(struct cf_run *run, struct error *error)
{
	int ret = cf_out_end(&run->out, error);

	cf_out_free(&run->out);
	return ret;
}

void cf_run_feed(int fd, uint64_t size, size_t nr_binaries, struct cf_unpacker *unpacker,
		 struct cf_feed *feed)
{
	*feed = (struct cf_feed){
		.name = "a temporary file",
		.factor = CF_FACTOR_ONE,
		.input = CF_NO_INPUT,
		.in = { .fd = fd,
			.end = size,
			.name = "a temporary file",
			.unpacker = unpacker,
			.nr_binaries = (uint32_t)nr_binaries },
	};
}
