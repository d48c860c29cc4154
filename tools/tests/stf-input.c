// SPDX-License-Identifier: GPL-2.0-only
/* Traces from descriptors, from memory and from the caller's functions. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stf-trace.h"

static uint8_t file[1 << 20];
static size_t size;

/* ------------------------------------------------------- the caller's functions */

/* Functions that read `file`, in pieces. */
struct bytes_of_file {
	size_t at;
	size_t piece; /* at most so many at once */
	size_t fail_at; /* from this offset on: EIO */
	pthread_t thread;
	unsigned int calls;
	unsigned int interrupts; /* 1: by signals */
};

static int64_t some(struct bytes_of_file *b, void *buf, size_t n, size_t at)
{
	CHECK(n && pthread_equal(b->thread, pthread_self()));
	/* A signal came, before every other call. */
	if (b->calls++ & b->interrupts) {
		errno = EINTR;
		return -1;
	}
	if (at >= b->fail_at) {
		errno = EIO;
		return -1;
	}
	if (at > size)
		at = size;
	if (n > b->piece)
		n = b->piece;
	if (n > size - at)
		n = size - at;
	if (n > b->fail_at - at)
		n = b->fail_at - at;
	memcpy(buf, file + at, n);
	return (int64_t)n;
}

static int64_t read_next(void *user, void *buf, size_t n)
{
	struct bytes_of_file *b = user;
	int64_t ret = some(b, buf, n, b->at);

	if (ret > 0)
		b->at += (size_t)ret;
	return ret;
}

static int64_t read_at(void *user, void *buf, size_t n, uint64_t offset)
{
	return some(user, buf, n, offset);
}

static struct bytes_of_file in_pieces(size_t piece)
{
	return (struct bytes_of_file){ .piece = piece, .fail_at = SIZE_MAX,
				       .thread = pthread_self() };
}

static struct stf_reader *open_stream(struct bytes_of_file *b,
				      struct stf_error *err)
{
	const struct stf_read_calls calls = { .size = sizeof(calls), .user = b,
					      .read = read_next };

	return stf_reader_open_calls(&calls, NULL, err);
}

static struct stf_reader *open_seekable(struct bytes_of_file *b,
					unsigned int threads,
					struct stf_error *err)
{
	const struct stf_read_calls calls = { .size = sizeof(calls), .user = b,
					      .read_at = read_at,
					      .length = size };
	const struct stf_reader_opts opts = { .size = sizeof(opts),
					      .threads = threads };

	return stf_reader_open_calls(&calls, &opts, err);
}

/* ------------------------------------------------------- all the ways of opening */

enum { PATH, FD, PIPE, MEMORY, STREAM, SEEKABLE, SEEKABLE_THREADS, N_WAYS };

static struct bytes_of_file user;
static const char *way_path;

/* The pipe holds the whole file, which is small. */
static struct stf_reader *open_pipe(struct stf_error *err)
{
	struct stf_reader *r;
	int fds[2];

	CHECK(!pipe(fds));
	CHECK(size <= 65536 && write(fds[1], file, size) == (ssize_t)size);
	close(fds[1]);
	r = stf_reader_open_fd(fds[0], NULL, err);
	close(fds[0]);
	return r;
}

static struct stf_reader *open_by(unsigned int way, struct stf_error *err)
{
	struct stf_reader *r;
	int fd;

	user = in_pieces(way == STREAM ? 7 : 1000);
	user.interrupts = 1;
	switch (way) {
	case PATH:
		return stf_reader_open(way_path, NULL, err);
	case FD:
		fd = open(way_path, O_RDONLY);
		r = stf_reader_open_fd(fd, NULL, err);
		/* It is the caller's, and may be closed. */
		CHECK(!close(fd));
		return r;
	case PIPE:
		return open_pipe(err);
	case MEMORY:
		return stf_reader_open_memory(file, size, NULL, err);
	case STREAM:
		return open_stream(&user, err);
	case SEEKABLE:
		return open_seekable(&user, STF_NO_THREADS, err);
	default:
		return open_seekable(&user, 3, err);
	}
}

static void load(const char *name)
{
	way_path = in_tmpdir(name);
	size = read_file(way_path, file, sizeof(file));
}

static struct result read_by(unsigned int way)
{
	struct stf_error err;

	return read_opened(open_by(way, &err), &err);
}

static void all_ways_agree(const char *name, enum stf_container container,
			   bool seeks)
{
	struct stf_stats stats = { .size = sizeof(stats) };
	struct result want, got;
	struct stf_reader *r;
	unsigned int way;

	load(name);
	want = read_by(PATH);
	CHECK_EQ(want.end, 0);
	for (way = FD; way < N_WAYS; way++) {
		got = read_by(way);
		if (got.end)
			test_fail(__FILE__, __LINE__, "way %u: %s", way, got.text);
		CHECK_EQ(got.records, want.records);
		CHECK_EQ(got.sum, want.sum);
		r = open_by(way, NULL);
		stf_reader_stats(r, &stats);
		CHECK_EQ(stats.container, container);
		CHECK_EQ(!!stats.chunks, seeks && way != PIPE && way != STREAM);
		if (stats.chunks)
			CHECK_EQ(stats.file_bytes, size);
		stf_reader_close(r);
	}
}

static void write_some(const char *name, uint64_t chunk_markers)
{
	struct stf_writer *w = start(name, chunk_markers);

	write_insts(w, 3000);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

TEST(every_container_is_read_from_everywhere)
{
	write_some("t.stf", 0);
	all_ways_agree("t.stf", STF_CONTAINER_PLAIN, false);
	write_some("t.zstf", 100);
	all_ways_agree("t.zstf", STF_CONTAINER_ZSTF, true);
	write_some("t.stf.gz", 0);
	all_ways_agree("t.stf.gz", STF_CONTAINER_GZ, false);
	write_some("t.stf.xz", 0);
	all_ways_agree("t.stf.xz", STF_CONTAINER_XZ, false);
	write_some("t.stf", 0);
	load("t.stf");
	size = ZSTD_compress(file + sizeof(file) / 2, sizeof(file) / 2, file,
			     size, 1);
	CHECK(!ZSTD_isError(size));
	memmove(file, file + sizeof(file) / 2, size);
	write_file(in_tmpdir("t.zst"), file, size);
	all_ways_agree("t.zst", STF_CONTAINER_ZSTD, false);
}

/* Cut and broken, too, it is the same error at the same place. */
TEST(damage_is_the_same_from_everywhere)
{
	static const char *const names[] = { "t.stf", "t.zstf", "t.stf.gz" };
	unsigned int i, k, way;

	for (i = 0; i < 3; i++) {
		write_some(names[i], 100);
		for (k = 0; k < 60; k++) {
			struct result want, got;

			load(names[i]);
			if (k & 1)
				size = test_random() % size;
			else
				file[test_random() % size] ^=
					(uint8_t)(1 + test_random() % 255);
			write_file(in_tmpdir("bad"), file, size);
			way_path = in_tmpdir("bad");
			want = read_by(PATH);
			for (way = FD; way < N_WAYS; way++) {
				/* A stream has no index to be wrong. */
				if (i == 1 && (way == PIPE || way == STREAM))
					continue;
				got = read_by(way);
				/* In pieces, wrong records may come before
				 * their wrong checksum. */
				CHECK_EQ(!got.end, !want.end);
				if (i == 2)
					continue;
				CHECK_EQ(got.end, want.end);
				CHECK_EQ(got.sum, want.sum);
				CHECK_STR(got.end ? strchr(got.text, ':') : "",
					  want.end ? strchr(want.text, ':') : "");
			}
		}
	}
}

/* ------------------------------------------------------------------ descriptors */

TEST(a_descriptor_is_read_from_where_it_stands)
{
	static const char *const names[] = { "t.stf", "t.zstf" };
	struct stf_inst_iter *iter;
	struct stf_error err;
	struct stf_reader *r;
	struct stf_inst inst;
	unsigned int i;
	int fd;

	for (i = 0; i < 2; i++) {
		write_some(names[i], 100);
		load(names[i]);
		memmove(file + 11, file, size);
		memset(file, 'x', 11);
		write_file(in_tmpdir("behind"), file, size + 11);
		fd = open(in_tmpdir("behind"), O_RDONLY);
		CHECK_EQ(lseek(fd, 11, SEEK_SET), 11);
		r = stf_reader_open_fd(fd, NULL, &err);
		CHECK_EQ(err.code, 0);
		iter = stf_inst_iter_new(r, sizeof(inst));
		CHECK_EQ(stf_inst_iter_seek(iter, 2999), 1);
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
		CHECK_EQ(inst.index, 2999);
		CHECK_EQ(stf_inst_iter_next(iter, &inst), 0);
		stf_inst_iter_free(iter);
		stf_reader_close(r);
		close(fd);
	}
}

TEST(no_descriptor)
{
	struct stf_error err;

	CHECK(!stf_reader_open_fd(-1, NULL, &err));
	CHECK_EQ(err.code, STF_E_IO);
	CHECK_STR(err.text, "(descriptor): Bad file descriptor");
}

/* ------------------------------------------------------------------------ memory */

TEST(records_point_into_the_memory)
{
	struct stf_reader *r;
	struct stf_record rec;
	unsigned int n = 0;
	char *map;
	int fd;

	write_samples("t.stf", 0);
	load("t.stf");
	fd = open(way_path, O_RDONLY);
	map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(map != MAP_FAILED);
	close(fd);
	r = stf_reader_open_memory(map, size, NULL, NULL);
	CHECK(r);
	while (stf_reader_next(r, &rec) > 0)
		if (rec.desc == STF_COMMENT) {
			CHECK(rec.text.data > map &&
			      rec.text.data < map + size);
			n++;
		}
	CHECK_EQ(n, 1);
	stf_reader_close(r);
	munmap(map, size);
}

TEST(groups_are_whole_in_memory)
{
	struct stf_inst_iter *iter;
	struct stf_record rec;
	struct stf_reader *r;
	struct stf_inst inst;
	unsigned int n = 0;

	write_samples("t.stf", 0);
	load("t.stf");
	r = stf_reader_open_memory(file, size, NULL, NULL);
	iter = stf_inst_iter_new(r, sizeof(inst));
	while (stf_inst_iter_next(iter, &inst) > 0)
		while (stf_inst_iter_record(iter, &rec) > 0)
			n += rec.desc == STF_BUS_MASTER_ACCESS;
	CHECK_EQ(n, 3);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

TEST(no_memory_is_an_empty_trace)
{
	struct stf_error err;

	CHECK(!stf_reader_open_memory(NULL, 0, NULL, &err));
	CHECK_EQ(err.code, STF_E_CUT);
	CHECK_STR(err.text, "(memory): the trace is empty");
	CHECK(!stf_reader_open_memory(NULL, 1, NULL, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK_STR(err.text, "a bad argument to stf_reader_open_memory()");
}

/* --------------------------------------------------------------------- functions */

TEST(a_function_that_fails)
{
	static const char *const names[] = { "t.stf", "t.zstf" };
	unsigned int i, n;

	for (i = 0; i < 2; i++) {
		write_some(names[i], 100);
		load(names[i]);
		for (n = 0; n < 4; n++) {
			struct bytes_of_file b = in_pieces(500);
			struct stf_error err;
			struct result res;

			/* At the start, in the header, later, at the end. */
			b.fail_at = n == 0 ? 0 : n == 1 ? 10 :
				    n == 2 ? size / 10 : size - 1;
			res = read_opened(n & 1 ? open_seekable(&b, 2, &err) :
						  open_stream(&b, &err), &err);
			if (res.end != STF_E_IO)
				test_fail(__FILE__, __LINE__, "%s %u: %d %s",
					  names[i], n, res.end, res.text);
			CHECK_STR(res.text, "(calls): Input/output error");
		}
	}
}

TEST(functions_that_are_not_there)
{
	struct stf_read_calls calls = { .size = sizeof(calls) };
	struct stf_error err;

	CHECK(!stf_reader_open_calls(&calls, NULL, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK_STR(err.text, "a bad argument to stf_reader_open_calls()");
	CHECK(!stf_reader_open_calls(NULL, NULL, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
}

/* A .zstf's index is at its end, where a stream does not get. */
TEST(what_a_stream_cannot_do_is_said)
{
	struct bytes_of_file b = in_pieces(4096);
	struct stf_inst_iter *iter;
	struct stf_error err;
	struct stf_reader *r;
	struct stf_inst inst;
	struct result res;

	write_some("t.zstf", 100);
	load("t.zstf");
	r = open_stream(&b, &err);
	iter = stf_inst_iter_new(r, sizeof(inst));
	CHECK_EQ(stf_inst_iter_seek(iter, 500), 1);
	CHECK_EQ(stf_inst_iter_seek(iter, 499), STF_E_INVAL);
	CHECK(strstr(stf_reader_error(r), "(calls): cannot go back"));
	CHECK(strstr(stf_reader_error(r), "with the index at its end"));
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.index, 500);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	/* END is 0: the writer was killed. */
	memset(file + 12, 0, 8);
	b = in_pieces(4096);
	res = read_opened(open_stream(&b, &err), &err);
	CHECK_EQ(res.end, STF_E_CONTAINER);
	CHECK(strstr(res.text, "it can be read as a file, not from a pipe"));
	b = in_pieces(4096);
	CHECK_EQ(read_opened(open_seekable(&b, 1, &err), &err).end, 0);
}

/* Not read ahead: 30 chunks, of which one is asked for. */
TEST(seeking_reads_what_it_needs)
{
	struct bytes_of_file b = in_pieces(SIZE_MAX);
	struct stf_inst_iter *iter;
	struct stf_inst inst;
	struct stf_reader *r;
	unsigned int before;

	write_some("t.zstf", 100);
	load("t.zstf");
	r = open_seekable(&b, STF_NO_THREADS, NULL);
	iter = stf_inst_iter_new(r, sizeof(inst));
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	before = b.calls;
	CHECK_EQ(stf_inst_iter_seek(iter, 2950), 1);
	CHECK_EQ(stf_inst_iter_next(iter, &inst), 1);
	CHECK_EQ(inst.index, 2950);
	CHECK_EQ(b.calls, before + 1);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
}

/* ------------------------------------------------------------------------- names */

TEST(messages_have_the_name_that_was_given)
{
	const struct stf_reader_opts opts = { .size = sizeof(opts),
					      .name = "core 3" };
	struct stf_error err;
	int fd;

	CHECK(!stf_reader_open_memory("x", 1, &opts, &err));
	CHECK(!strncmp(err.text, "core 3: not an STF trace", 24));
	CHECK(!stf_reader_open("/nonexistent", &opts, &err));
	CHECK_STR(err.text, "core 3: No such file or directory");
	fd = open("/dev/null", O_RDONLY);
	CHECK(!stf_reader_open_fd(fd, &opts, &err));
	CHECK_STR(err.text, "core 3: the trace is empty");
	close(fd);
}
