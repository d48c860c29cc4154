// SPDX-License-Identifier: GPL-2.0-only
/* Traces from pipes, and standard input and output. */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stf-trace.h"

/* Wait until what is in the pipe was read, or nobody reads any more. */
static void wait_until_read(int fd)
{
	struct pollfd p = { .fd = fd };
	int n;

	while (!ioctl(fd, FIONREAD, &n) && n && poll(&p, 1, 0) >= 0 &&
	       !(p.revents & POLLERR))
		sched_yield();
}

/*
 * A pipe into which another process writes a file in pieces of this size, each
 * when the one before was read. Returns the reading end, and its path in *path.
 */
static int open_pipe(const char *name, size_t piece, const char **path)
{
	static char fd_path[32];
	static char buf[4096];
	int fds[2], from;
	ssize_t n;
	pid_t pid;

	CHECK(piece <= sizeof(buf));
	from = open(in_tmpdir(name), O_RDONLY);
	CHECK(from >= 0 && !pipe(fds));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(fds[0]);
		signal(SIGPIPE, SIG_IGN);
		while ((n = read(from, buf, piece)) > 0) {
			if (write(fds[1], buf, (size_t)n) != n)
				break;
			wait_until_read(fds[1]);
		}
		_exit(0);
	}
	close(from);
	close(fds[1]);
	snprintf(fd_path, sizeof(fd_path), "/dev/fd/%d", fds[0]);
	*path = fd_path;
	return fds[0];
}

static void close_pipe(int fd)
{
	int status;

	close(fd);
	CHECK(wait(&status) > 0 && !status);
}

static struct result read_pipe(const char *name, size_t piece)
{
	struct result res;
	const char *path;
	int fd = open_pipe(name, piece, &path);

	res = read_all(path);
	close_pipe(fd);
	return res;
}

TEST(a_pipe_in_pieces_of_any_size)
{
	static const size_t pieces[] = { 1, 2, 7, 64, 4096 };
	unsigned int i;

	write_samples("t.stf", 0);
	for (i = 0; i < 5; i++) {
		struct result res = read_pipe("t.stf", pieces[i]);

		CHECK_EQ(res.end, 0);
		CHECK_EQ(res.insts, 6);
	}
}

TEST(groups_stay_whole_while_a_pipe_is_read)
{
	struct stf_inst_iter *iter;
	struct stf_stats stats = { .size = sizeof(stats) };
	struct stf_record rec;
	struct stf_reader *r;
	struct stf_inst inst;
	const char *path;
	unsigned int n = 0;
	uint64_t records;
	struct stat st;
	int fd;

	write_samples("t.stf", 0);
	records = read_all(in_tmpdir("t.stf")).records;
	CHECK(!stat(in_tmpdir("t.stf"), &st));
	fd = open_pipe("t.stf", 1, &path);
	r = stf_reader_open(path, NULL, NULL);
	CHECK(r);
	iter = stf_inst_iter_new(r, sizeof(struct stf_inst));
	while (stf_inst_iter_next(iter, &inst) > 0)
		while (stf_inst_iter_record(iter, &rec) > 0)
			n += rec.desc == STF_BUS_MASTER_ACCESS &&
			     rec.bus_access.address == 0x1000;
	CHECK_EQ(n, 3);
	CHECK_STR(stf_reader_error(r), "");
	stf_reader_stats(r, &stats);
	CHECK_EQ(stats.records, records);
	CHECK_EQ(stats.trace_bytes, st.st_size);
	CHECK_EQ(stats.file_bytes, st.st_size);
	stf_inst_iter_free(iter);
	stf_reader_close(r);
	close_pipe(fd);
}

TEST(a_cut_pipe_is_an_error)
{
	struct result file, pipe;
	struct stat st;

	write_samples("t.stf", 0);
	CHECK(!stat(in_tmpdir("t.stf"), &st));
	CHECK(!truncate(in_tmpdir("t.stf"), st.st_size - 1));
	file = read_all(in_tmpdir("t.stf"));
	pipe = read_pipe("t.stf", 7);
	CHECK_EQ(pipe.end, STF_E_CUT);
	CHECK_STR(strstr(pipe.text, ": at byte"),
		  strstr(file.text, ": at byte"));
}

TEST(a_container_in_a_pipe_is_read_like_a_file)
{
	struct result res, want;

	write_samples("t.zstf", 2);
	want = read_all(in_tmpdir("t.zstf"));
	CHECK_EQ(want.end, 0);
	res = read_pipe("t.zstf", 100);
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.sum, want.sum);
	res = read_pipe("t.zstf", 1);
	CHECK_EQ(res.sum, want.sum);
}

TEST(a_container_cut_in_a_pipe)
{
	struct stat st;

	write_samples("t.zstf", 100);
	CHECK(!stat(in_tmpdir("t.zstf"), &st));
	CHECK(!truncate(in_tmpdir("t.zstf"), 10));
	CHECK_EQ(read_pipe("t.zstf", 100).end, STF_E_CUT);
	write_samples("t.zstf", 100);
	CHECK(!truncate(in_tmpdir("t.zstf"), 60));
	CHECK_EQ(read_pipe("t.zstf", 100).end, STF_E_CUT);
}

/* The buffer starts with 1 MiB. */
static void write_long_comments(const char *name)
{
	static char text[3 << 20];
	struct stf_writer *w = start(name, 0);
	unsigned int i;

	memset(text, 'x', sizeof(text) - 1);
	for (i = 0; i < 3; i++) {
		write_insts(w, 1000);
		CHECK_EQ(stf_write_comment(w, text), 0);
	}
	write_insts(w, 1000);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
}

TEST(records_longer_than_the_buffer_of_a_pipe)
{
	struct result res;

	write_long_comments("long.stf");
	res = read_pipe("long.stf", 4096);
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.insts, 4000);
	CHECK_EQ(res.records, 9 + 4000 + 3);
}

TEST(the_limit_may_be_less_than_what_is_read_at_once)
{
	struct stf_reader_opts opts = { .size = sizeof(opts), .max_buffer = 4096 };
	struct stf_record rec;
	struct stf_reader *r;
	const char *path;
	int fd, end;
	struct stf_writer *w = start("t.stf", 0);

	write_insts(w, 5000);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	fd = open_pipe("t.stf", 4096, &path);
	r = stf_reader_open(path, &opts, NULL);
	CHECK(r);
	while ((end = stf_reader_next(r, &rec)) > 0)
		;
	CHECK_EQ(end, 0);
	stf_reader_close(r);
	close_pipe(fd);
}

TEST(memory_for_a_pipe_has_a_limit)
{
	struct stf_reader_opts opts = { .size = sizeof(opts),
					.max_buffer = 2 << 20 };
	struct stf_record rec;
	struct stf_reader *r;
	const char *path;
	int fd, end;

	write_long_comments("long.stf");
	fd = open_pipe("long.stf", 4096, &path);
	r = stf_reader_open(path, &opts, NULL);
	CHECK(r);
	while ((end = stf_reader_next(r, &rec)) > 0)
		;
	CHECK_EQ(end, STF_E_NOMEM);
	CHECK(strstr(stf_reader_error(r), "2097152 bytes"));
	stf_reader_close(r);
	close_pipe(fd);
}

TEST(a_minus_is_standard_input_and_output)
{
	static const char *const comments[] = { "x", NULL };
	int in = dup(0), out = dup(1), fd;
	struct stf_writer *w;
	struct result res;
	struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
				  .generator = STF_GEN_QEMU };

	fflush(stdout);
	fd = open(in_tmpdir("std.stf"), O_RDWR | O_CREAT, 0666);
	CHECK(fd >= 0);
	dup2(fd, 1);
	w = stf_writer_open("-", NULL, NULL);
	CHECK(w);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	write_insts(w, 3);
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	dup2(out, 1);
	lseek(fd, 0, SEEK_SET);
	dup2(fd, 0);
	res = read_all("-");
	dup2(in, 0);
	close(in);
	close(out);
	close(fd);
	CHECK_EQ(res.end, 0);
	CHECK_EQ(res.insts, 3);
}
