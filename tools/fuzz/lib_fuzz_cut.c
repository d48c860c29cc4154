// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a plain trace of which a part is cut out; the last five say which. The part
 * can be read, and has the instructions that were asked for, where and in the mode that
 * they were.
 */
#include <string.h>

#include "fuzz.h"
#include "tracecut/tracecut.h"

enum { OPTIONS = 5 };

static struct tcut_opts options(const uint8_t *v)
{
	static const char *const none[] = { NULL };
	const struct stf_select_opts windows = {
		.size = sizeof(windows),
		.start = v[0],
		.limit = v[1] & 0x7f,
		.modes = v[1] & 0x80 ? 1 << STF_MODE_USER : 0,
		.every = v[2] & 0x3f,
		.by_tid = v[2] & 0x40,
		.process.tid = v[3] & 7,
	};
	struct tcut_opts opts = { .windows = windows,
				  .drop = (unsigned int)v[4] << 1,
				  .comments = none };

	if (!opts.windows.limit || opts.windows.limit > opts.windows.every)
		opts.windows.every = 0;
	return opts;
}

static bool is_asked_for(const struct stf_select_opts *w, const struct stf_inst *inst,
			 uint64_t *passed)
{
	uint64_t n;

	if (inst->index < w->start || (w->modes && inst->mode != STF_MODE_USER) ||
	    (w->by_tid && inst->process.tid != w->process.tid))
		return false;
	n = (*passed)++;
	if (w->every)
		n %= w->every;
	return !w->limit || n < w->limit;
}

static struct stf_inst_iter *iterate(struct stf_reader *r)
{
	struct stf_inst_iter *iter = stf_inst_iter_new(r, sizeof(struct stf_inst));

	demand(iter, "there is memory");
	return iter;
}

/* The reader is that of the part. Compare it with the whole, as far as it goes. */
static uint64_t compare(const struct tcut_opts *opts, struct stf_reader *whole,
			struct stf_reader *part)
{
	struct stf_inst_iter *a = iterate(whole), *b = iterate(part);
	uint64_t passed = 0, n = 0;
	struct stf_inst want, have;

	while (stf_inst_iter_next(b, &have) > 0) {
		do
			demand(stf_inst_iter_next(a, &want) > 0,
			       "a part has no more than the whole");
		while (!is_asked_for(&opts->windows, &want, &passed));
		demand(have.pc == want.pc && have.opcode == want.opcode,
		       "the instructions are those that were asked for");
		demand(opts->drop & TCUT_DROP_MODES || have.mode == want.mode,
		       "they are in the mode in which they were");
		n++;
	}
	demand(!*stf_reader_error(part), "a part can be read");
	stf_inst_iter_free(a);
	stf_inst_iter_free(b);
	return n;
}

static struct stf_reader *open_part(int fd)
{
	struct stf_error err;

	return fuzz_opened(stf_reader_open(fuzz_fd_path(fd), NULL, &err), &err);
}

static void cut(const struct tcut_opts *opts, int fd)
{
	struct stf_reader *whole = fuzz_open(0, false), *part;
	struct stf_writer *writer;
	struct tcut_result result = { 0 };
	struct error error;
	int ret;

	if (!whole)
		return;
	writer = stf_writer_open_fd(fd, NULL, NULL);
	demand(writer, "the part can be written");
	ret = tcut_run(opts, whole, writer, &result, &error);
	stf_reader_close(whole);
	demand(ret != ERROR_OUTPUT, "there is room");
	if (ret) {
		demand(*error.text, "an error has a text");
		stf_writer_abort(writer);
		return;
	}
	demand(!stf_writer_close(writer, NULL), "what was written is whole");
	whole = fuzz_open(0, false);
	part = open_part(fd);
	demand(whole && part, "both can be read");
	demand(compare(opts, whole, part) == result.instructions,
	       "the result says how many there are");
	stf_reader_close(whole);
	stf_reader_close(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tcut_opts opts;
	int fd;

	if (size < OPTIONS || *data != STF_IDENTIFIER)
		return -1;
	opts = options(data + size - OPTIONS);
	fuzz_file(data, size - OPTIONS);
	fd = memfd_create("part", MFD_CLOEXEC);
	demand(fd >= 0, "there is memory");
	cut(&opts, fd);
	close(fd);
	return 0;
}
