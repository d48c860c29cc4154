// SPDX-License-Identifier: GPL-2.0-only
/* Files get their names when they are complete, and only then. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stf-trace.h"

static struct bytes copy;

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

TEST(the_name_comes_with_the_close)
{
	struct stf_writer *w = start("t.stf", 0);

	write_insts(w, 3);
	CHECK(!exists(in_tmpdir("t.stf")));
	CHECK(exists(temporary_name("t.stf")));
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK(exists(in_tmpdir("t.stf")));
	CHECK(!exists(temporary_name("t.stf")));
}

TEST(giving_up_leaves_the_old_file)
{
	struct stf_writer *w;

	write_file(in_tmpdir("t.stf"), "old", 3);
	w = start("t.stf", 0);
	write_insts(w, 3);
	stf_writer_abort(w);
	CHECK_EQ(read_file(in_tmpdir("t.stf"), copy.v, sizeof(copy.v)), 3);
	CHECK(!exists(temporary_name("t.stf")));
}

TEST(two_writers_do_not_meet)
{
	struct stf_writer *a = start("t.stf", 0), *b = start("t.stf", 0);

	write_insts(a, 3);
	write_insts(b, 5);
	CHECK_EQ(stf_writer_close(a, NULL), 0);
	CHECK_EQ(read_all(in_tmpdir("t.stf")).insts, 3);
	CHECK_EQ(stf_writer_close(b, NULL), 0);
	CHECK_EQ(read_all(in_tmpdir("t.stf")).insts, 5);
}

TEST(the_file_has_the_usual_permissions)
{
	struct stat st;

	umask(027);
	CHECK_EQ(stf_writer_close(start("t.stf", 0), NULL), 0);
	umask(022);
	CHECK(!stat(in_tmpdir("t.stf"), &st));
	CHECK_EQ(st.st_mode & 0777, 0640);
}

/* The temporary file then gets the number of standard output. */
TEST(standard_output_may_be_closed)
{
	int out;

	fflush(stdout);
	out = dup(1);
	close(1);
	write_samples("t.stf", 0);
	dup2(out, 1);
	close(out);
	CHECK_EQ(read_all(in_tmpdir("t.stf")).end, 0);
}

TEST(a_symbolic_link_stays_one)
{
	char target[256];
	struct stat st;

	strcpy(target, in_tmpdir("real.stf"));
	write_file(target, "old", 3);
	CHECK(!symlink(target, in_tmpdir("link.stf")));
	CHECK_EQ(stf_writer_close(start("link.stf", 0), NULL), 0);
	CHECK(!lstat(in_tmpdir("link.stf"), &st) && S_ISLNK(st.st_mode));
	CHECK_EQ(read_all(target).end, 0);
}

TEST(a_folder_that_is_not_there)
{
	struct stf_error err;

	CHECK(!stf_writer_open("/nonexistent/t.stf", NULL, &err));
	CHECK_EQ(err.code, STF_E_IO);
	CHECK(strstr(err.text, "/nonexistent/t.stf"));
	CHECK(strstr(err.text, "No such file or directory"));
}

TEST(a_full_disk_is_reported)
{
	static const char *const comments[] = { "x", NULL };
	struct stf_header hdr = { .size = sizeof(hdr), .comments = comments };
	struct stf_writer *w = stf_writer_open("/dev/full", NULL, NULL);
	struct stf_error err;

	CHECK(w);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
	CHECK_EQ(stf_writer_close(w, &err), STF_E_IO);
	CHECK_STR(err.text, "cannot write /dev/full: No space left on device");
	CHECK(exists("/dev/full"));
}

/* A limit on the size of files stands for a disk that fills up. */
static void fill_the_disk(const char *name)
{
	struct rlimit old, limit;
	struct stf_writer *w;
	struct stf_error err;
	int ret = 0, later = 0;
	unsigned int n;

	write_file(in_tmpdir(name), "old", 3);
	w = start(name, 100);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &old));
	limit = old;
	limit.rlim_cur = 2000;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	for (n = 0; n < 500000 && !ret; n++)
		ret = stf_write_inst(w, (uint32_t)test_random() | 3, 4);
	if (ret)
		later = stf_write_inst(w, 1, 2);
	n = (unsigned int)strlen(stf_writer_error(w));
	CHECK(!setrlimit(RLIMIT_FSIZE, &old));
	CHECK_EQ(ret, STF_E_IO);
	CHECK_EQ(later, STF_E_IO);
	CHECK(n);
	CHECK_EQ(stf_writer_close(w, &err), STF_E_IO);
	CHECK(strstr(err.text, "cannot write"));
	CHECK(strstr(err.text, "File too large"));
	CHECK(!exists(temporary_name(name)));
	CHECK_EQ(read_file(in_tmpdir(name), copy.v, sizeof(copy.v)), 3);
}

TEST(a_disk_that_fills_up_leaves_the_old_file)
{
	fill_the_disk("t.stf");
	fill_the_disk("t.zstf");
}

TEST(a_container_is_not_written_to_a_pipe)
{
	struct stf_writer_opts opts = { .size = sizeof(opts),
					.container = STF_CONTAINER_ZSTF };
	struct stf_error err;
	int fds[2];
	char path[32];

	CHECK(!pipe(fds));
	snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
	CHECK(!stf_writer_open(path, &opts, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(strstr(err.text, "to a file only"));
	close(fds[0]);
	close(fds[1]);
}

TEST(what_is_no_file_stays_what_it_is)
{
	struct stat st;

	CHECK_EQ(stf_writer_close(stf_writer_open("/dev/null", NULL, NULL),
				  NULL), STF_E_ORDER);
	CHECK(!stat("/dev/null", &st) && S_ISCHR(st.st_mode));
}
