/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fuzzing targets for libFuzzer share; `make fuzz`. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stf/stf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "broken promise: %s\n", what);
	abort();
}

/* Make these bytes the content of the file that fuzz_path() names. */
static int fuzz_fd = -1;

static inline void fuzz_file(const void *data, size_t size)
{
	if (fuzz_fd < 0)
		fuzz_fd = memfd_create("trace", MFD_CLOEXEC);
	demand(fuzz_fd >= 0 && !ftruncate(fuzz_fd, 0) &&
	       pwrite(fuzz_fd, data, size, 0) == (ssize_t)size,
	       "there is memory");
}

static inline const char *fuzz_fd_path(int fd)
{
	static char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static inline const char *fuzz_path(void)
{
	return fuzz_fd_path(fuzz_fd);
}

/* A pipe, which takes so many bytes without a reader. */
enum { FUZZ_PIPE = 1 << 16 };

static inline void fuzz_pipe(int fds[2])
{
	demand(!pipe2(fds, O_CLOEXEC), "a pipe can be made");
}

/* Make what was written to it the content of the file, and close it. */
static inline void fuzz_file_of_pipe(const int fds[2])
{
	static uint8_t text[FUZZ_PIPE];
	ssize_t size = read(fds[0], text, sizeof(text));

	demand(size > 0, "what was written can be read");
	close(fds[0]);
	close(fds[1]);
	fuzz_file(text, size);
}

/* Little memory, so that a size from the file cannot hide a lack of checking. */
#define FUZZ_OPTS(_threads, _spec_initiators)                                  \
	{                                                                      \
		.size = sizeof(struct stf_reader_opts),                        \
		.max_buffer = 1 << 22,                                         \
		.threads = (_threads) ? (_threads) : STF_NO_THREADS,           \
		.spec_initiators = (_spec_initiators),                         \
	}

static inline struct stf_reader *fuzz_opened(struct stf_reader *r,
					     const struct stf_error *err)
{
	demand(!r == !!err->code && !r == !!err->text[0],
	       "only a failure has an error's code and text");
	return r;
}

static inline struct stf_reader *fuzz_open(unsigned int threads,
					   bool spec_initiators)
{
	const struct stf_reader_opts opts = FUZZ_OPTS(threads, spec_initiators);
	struct stf_error err;

	return fuzz_opened(stf_reader_open(fuzz_path(), &opts, &err), &err);
}

/* The same bytes from memory. */
static inline struct stf_reader *fuzz_open_memory(const void *data, size_t size,
						  bool spec_initiators)
{
	const struct stf_reader_opts opts = FUZZ_OPTS(0, spec_initiators);
	struct stf_error err;

	return fuzz_opened(stf_reader_open_memory(data, size, &opts, &err),
			   &err);
}

/* The same bytes from a function, a few at once. */
struct fuzz_stream {
	const uint8_t *p;
	size_t n;
};

static inline int64_t fuzz_read(void *user, void *buf, size_t n)
{
	struct fuzz_stream *s = user;
	unsigned int i;

	n = n > 5 ? 5 : n;
	n = n > s->n ? s->n : n;
	for (i = 0; i < n; i++)
		((uint8_t *)buf)[i] = *s->p++;
	s->n -= n;
	return (int64_t)n;
}

static inline struct stf_reader *fuzz_open_stream(struct fuzz_stream *stream,
						  bool spec_initiators)
{
	const struct stf_reader_opts opts = FUZZ_OPTS(0, spec_initiators);
	const struct stf_read_calls calls = { .size = sizeof(calls),
					      .user = stream,
					      .read = fuzz_read };
	struct stf_error err;

	return fuzz_opened(stf_reader_open_calls(&calls, &opts, &err), &err);
}

/* How a trace's reading ended, which every way of reading has to agree on. */
struct fuzz_end {
	int code; /* 0 or an enum stf_err */
	uint64_t records;
	uint64_t instructions;
	uint64_t bytes;
};

static inline struct fuzz_end fuzz_end(struct stf_reader *r, int code)
{
	struct stf_stats stats = { .size = sizeof(stats) };

	demand(!code == !*stf_reader_error(r), "an error has a text");
	stf_reader_stats(r, &stats);
	return (struct fuzz_end){ code, stats.records, stats.instructions,
				  stats.trace_bytes };
}

static inline bool same_end(const struct fuzz_end *a, const struct fuzz_end *b)
{
	return a->code == b->code && a->records == b->records &&
	       a->instructions == b->instructions && a->bytes == b->bytes;
}

#endif
