// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as two plain traces, which are compared, joined, and cut in two. The last
 * three bytes say where. No difference is found exactly between traces with the same
 * instructions, and the two pieces of a trace become the trace again.
 */
#include <string.h>

#include "fuzz.h"
#include "tracecmp/tracecmp.h"
#include "tracecut/tracecut.h"
#include "tracejoin/tracejoin.h"

enum { OPTIONS = 3, BOUND = 64 };

static const char *const none[] = { NULL };

/* What a piece tells at its start may have stood further ahead in the whole trace. */
#define ONLY_INSTRUCTIONS                                                      \
	(~0u & ~(unsigned int)(TCMP_PC | TCMP_OPCODE | TCMP_MODES | TCMP_PROCESSES))

static struct stf_reader *open_trace(int fd)
{
	const struct stf_reader_opts opts = FUZZ_OPTS(0, false);
	struct stf_error err;

	return fuzz_opened(stf_reader_open(fuzz_fd_path(fd), &opts, &err), &err);
}

static int make_file(const void *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	demand(fd >= 0 && write(fd, data, size) == (ssize_t)size, "there is memory");
	return fd;
}

/* Whether all instructions are the same. False if a trace cannot be read, too. */
static bool same_insts(int a, int b)
{
	struct stf_reader *readers[2] = { open_trace(a), open_trace(b) };
	struct stf_inst_iter *iters[2];
	struct stf_inst insts[2];
	int more[2];
	bool same;

	demand(readers[0] && readers[1], "they were opened before");
	iters[0] = stf_inst_iter_new(readers[0], sizeof(insts[0]));
	iters[1] = stf_inst_iter_new(readers[1], sizeof(insts[1]));
	demand(iters[0] && iters[1], "there is memory");
	do {
		more[0] = stf_inst_iter_next(iters[0], &insts[0]);
		more[1] = stf_inst_iter_next(iters[1], &insts[1]);
		same = more[0] == more[1] && more[0] >= 0 &&
		       (!more[0] || (insts[0].pc == insts[1].pc &&
				     insts[0].opcode == insts[1].opcode &&
				     insts[0].size == insts[1].size &&
				     insts[0].mode == insts[1].mode &&
				     !memcmp(&insts[0].process, &insts[1].process,
					     sizeof(insts[0].process))));
	} while (same && more[0]);
	stf_inst_iter_free(iters[0]);
	stf_inst_iter_free(iters[1]);
	stf_reader_close(readers[0]);
	stf_reader_close(readers[1]);
	return same;
}

static bool go_on(void *user, const struct tcmp_difference *difference)
{
	(void)difference;
	++*(uint64_t *)user;
	return true;
}

/* Returns whether both could be read to their ends. */
static bool compare(int a, int b, unsigned int ignore, struct tcmp_result *result)
{
	struct stf_reader *readers[2] = { open_trace(a), open_trace(b) };
	uint64_t found = 0;
	const struct tcmp_opts opts = { .ignore = ignore, .bound = BOUND,
					.found = go_on, .user = &found };
	struct error error = { "" };
	int ret = ERROR_INPUT;

	if (readers[0] && readers[1]) {
		ret = tcmp_run(&opts, readers, result, &error);
		demand(!ret || *error.text, "an error has a text");
		demand(ret != ERROR_NOMEM, "there is memory");
		demand(found == result->differences, "each difference is told");
	}
	stf_reader_close(readers[0]);
	stf_reader_close(readers[1]);
	return !ret;
}

static void compare_halves(int a, int b)
{
	struct tcmp_result result;

	if (!compare(a, b, ONLY_INSTRUCTIONS, &result))
		return;
	demand(!result.differences == same_insts(a, b),
	       "traces differ exactly if their instructions do");
}

/* Returns the new trace, or -1. */
static int join(const int *parts, size_t nr, uint64_t slice)
{
	char paths[2][32];
	const char *names[2] = { paths[0], paths[1] };
	const struct tjoin_opts opts = {
		.paths = names, .nr = nr, .reader = FUZZ_OPTS(0, false),
		.slice = slice,
		.number = slice ? TJOIN_HARTS : TJOIN_AS_THEY_ARE,
		.comments = none,
	};
	struct tjoin_result result = { 0 };
	int fd = memfd_create("joined", MFD_CLOEXEC);
	struct stf_writer *writer;
	struct error error = { "" };
	size_t i;
	int ret;

	for (i = 0; i < nr; i++)
		strcpy(paths[i], fuzz_fd_path(parts[i]));
	writer = stf_writer_open_fd(fd, NULL, NULL);
	demand(writer, "the new trace can be written");
	ret = tjoin_run(&opts, writer, &result, &error);
	demand(!ret || *error.text, "an error has a text");
	demand(ret != ERROR_OUTPUT && ret != ERROR_NOMEM, "there is room");
	if (!ret) {
		demand(!stf_writer_close(writer, NULL), "what was written is whole");
		return fd;
	}
	stf_writer_abort(writer);
	close(fd);
	return -1;
}

/* Returns the piece, or -1. */
static int cut(int from, uint64_t start, uint64_t limit)
{
	const struct tcut_opts opts = { .windows = { .size = sizeof(opts.windows), .start = start, .limit = limit },
					.comments = none };
	struct stf_reader *whole = open_trace(from);
	struct tcut_result result = { 0 };
	struct stf_writer *writer;
	struct error error;
	int ret, fd;

	if (!whole)
		return -1;
	fd = memfd_create("piece", MFD_CLOEXEC);
	writer = stf_writer_open_fd(fd, NULL, NULL);
	demand(writer, "the piece can be written");
	ret = tcut_run(&opts, whole, writer, &result, &error);
	stf_reader_close(whole);
	if (!ret) {
		demand(!stf_writer_close(writer, NULL), "what was written is whole");
		return fd;
	}
	stf_writer_abort(writer);
	close(fd);
	return -1;
}

static void cut_and_join(int whole, unsigned int at)
{
	int parts[2] = { cut(whole, 0, at), cut(whole, at, 0) }, joined;
	struct tcmp_result result;

	if (parts[0] >= 0 && parts[1] >= 0) {
		joined = join(parts, 2, 0);
		demand(joined >= 0, "the pieces of a trace can be joined");
		demand(compare(whole, joined, ONLY_INSTRUCTIONS, &result),
		       "the joined pieces can be read");
		demand(!result.differences, "the pieces of a trace become the trace");
		close(joined);
	}
	if (parts[0] >= 0)
		close(parts[0]);
	if (parts[1] >= 0)
		close(parts[1]);
}

static void read_joined(int fd)
{
	struct tcmp_result result;

	if (fd < 0)
		return;
	demand(compare(fd, fd, 0, &result), "a joined trace can be read");
	demand(!result.differences, "a trace is equal to itself");
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *v;
	size_t first;
	int parts[2];

	if (size < OPTIONS || *data != STF_IDENTIFIER)
		return -1;
	size -= OPTIONS;
	v = data + size;
	first = size * v[0] / 255;
	parts[0] = make_file(data, first);
	parts[1] = make_file(data + first, size - first);
	compare_halves(parts[0], parts[1]);
	read_joined(join(parts, 2, v[2] & 0x3f));
	close(parts[0]);
	close(parts[1]);
	parts[0] = make_file(data, size);
	cut_and_join(parts[0], 1 + (v[1] & 0x3f));
	close(parts[0]);
	return 0;
}
