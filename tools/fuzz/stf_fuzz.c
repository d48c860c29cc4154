// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a trace, a container included: read by records and by
 * instructions, with jumps, and checked. What is read is written again, and has
 * to be taken by the writer or refused with an error. For libFuzzer; `make fuzz`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stf/stf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small, so that a size from the file cannot hide a lack of checking. */
static const struct stf_reader_opts reader_opts = {
	.size = sizeof(reader_opts),
	.max_buffer = 1 << 22,
	.threads = STF_NO_THREADS,
};

static void demand(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "broken promise: %s\n", what);
	abort();
}

static void read_records(const char *path)
{
	struct stf_reader *r = stf_reader_open(path, &reader_opts, NULL);
	struct stf_writer *w;
	struct stf_record rec;
	const char *text;
	uint64_t value;
	unsigned int i;
	int more;

	if (!r)
		return;
	w = stf_writer_open("/dev/null", NULL, NULL);
	demand(w, "/dev/null can be written");
	while ((more = stf_reader_next(r, &rec)) > 0) {
		for (i = 0; i < 20 && stf_record_field(&rec, i, &value, &text);
		     i++)
			;
		stf_write(w, &rec);
	}
	demand(!more == !*stf_reader_error(r), "an error has a text");
	demand(stf_reader_next(r, &rec) == more, "an end stays the end");
	stf_writer_close(w, NULL);
	stf_reader_close(r);
}

static void read_insts(const char *path, uint64_t jump)
{
	struct stf_reader *r = stf_reader_open(path, &reader_opts, NULL);
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct stf_inst inst;
	unsigned int n = 0;

	if (!r)
		return;
	iter = stf_inst_iter_new(r);
	demand(iter, "there is memory");
	while (stf_inst_iter_next(iter, &inst) > 0) {
		while (stf_inst_iter_record(iter, &rec) > 0)
			;
		if (++n == 3 && stf_inst_iter_seek(iter, jump) > 0 &&
		    stf_inst_iter_next(iter, &inst) > 0)
			demand(inst.index == jump, "a jump arrives");
	}
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

static void check(const char *path)
{
	struct stf_check res = { .size = sizeof(res) };
	struct stf_reader *r = stf_reader_open(path, &reader_opts, NULL);

	if (r)
		stf_check(r, &res);
	stf_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[32];

	demand(fd >= 0 && write(fd, data, size) == (ssize_t)size,
	       "there is memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_records(path);
	read_insts(path, size ? data[size - 1] % 8 : 0);
	check(path);
	close(fd);
	return 0;
}
