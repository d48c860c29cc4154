// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files get their names when they are complete, and only then. What is written to
 * descriptors and by functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/* Calls that fail, as those of a user who is not root, or of a file system without owners. */
static bool no_fchown, no_fchmod;

int fchown(int fd, uid_t owner, gid_t group)
{
	errno = EPERM;
	return no_fchown ? -1 : (int)syscall(SYS_fchown, fd, owner, group);
}

int fchmod(int fd, mode_t mode)
{
	errno = EPERM;
	return no_fchmod ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

/* Replace a file that has these permissions. Returns those of the new one. */
static mode_t replace(mode_t mode)
{
	struct stf_writer *w;
	struct stat empty, whole;

	write_file(in_tmpdir("t.stf"), "old", 3);
	CHECK(!chmod(in_tmpdir("t.stf"), mode));
	w = start("t.stf", 0);
	CHECK(!stat(temporary_name("t.stf"), &empty));
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK(!stat(in_tmpdir("t.stf"), &whole));
	CHECK_EQ(empty.st_mode, whole.st_mode);
	CHECK(!unlink(in_tmpdir("t.stf")));
	return whole.st_mode & 07777;
}

TEST(a_file_that_is_replaced_keeps_its_permissions)
{
	static const mode_t modes[] = { 0600, 0640, 0644, 0666, 0444 };
	size_t i;

	umask(027);
	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		CHECK_EQ(replace(modes[i]), modes[i]);
	no_fchmod = true;
	CHECK_EQ(replace(0644), 0600);
	no_fchmod = false;
	umask(022);
}

TEST(a_group_that_cannot_be_kept_gives_no_rights_to_another)
{
	no_fchown = true;
	CHECK_EQ(replace(0640), 0600);
	CHECK_EQ(replace(0664), 0644);
	no_fchown = false;
}

TEST(root_leaves_a_file_to_its_owner)
{
	struct stat st;

	if (geteuid())
		test_skip("only root can give files to others");
	write_file(in_tmpdir("t.stf"), "old", 3);
	CHECK(!chown(in_tmpdir("t.stf"), 12, 34));
	CHECK_EQ(stf_writer_close(start("t.stf", 0), NULL), 0);
	CHECK(!stat(in_tmpdir("t.stf"), &st));
	CHECK_EQ(st.st_uid, 12);
	CHECK_EQ(st.st_gid, 34);
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

TEST(a_link_may_lead_to_a_file_that_is_not_there_yet)
{
	struct stat st;
	char next[256];

	CHECK(!mkdir(in_tmpdir("sub"), 0700));
	CHECK(!symlink("../sub/new", in_tmpdir("sub/next")));
	strcpy(next, in_tmpdir("sub/next"));
	CHECK(!symlink(next, in_tmpdir("link.stf")));
	CHECK_EQ(stf_writer_close(start("link.stf", 0), NULL), 0);
	CHECK(!lstat(in_tmpdir("link.stf"), &st) && S_ISLNK(st.st_mode));
	CHECK(!lstat(next, &st) && S_ISLNK(st.st_mode));
	CHECK_EQ(read_all(in_tmpdir("sub/new")).end, 0);
}

static void write_header(struct stf_writer *w)
{
	static const char *const comments[] = { "x", NULL };
	struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
				  .generator = STF_GEN_QEMU, .pc = START_PC };

	CHECK(w);
	CHECK_EQ(stf_write_header(w, &hdr), 0);
}

/* The text names the file as the user did, and not the temporary one. */
static void is_refused(const char *path, const char *reason)
{
	char text[6000];
	struct stf_error err;

	snprintf(text, sizeof(text), "%s: %s", path, reason);
	CHECK(!stf_writer_open(path, NULL, &err));
	CHECK_EQ(err.code, STF_E_IO);
	CHECK_STR(err.text, text);
}

TEST(a_folder_that_is_not_there)
{
	is_refused("/nonexistent/t.stf", "No such file or directory");
	write_file(in_tmpdir("file"), "x", 1);
	is_refused(in_tmpdir("file/t.stf"), "Not a directory");
	is_refused(test_tmpdir(), "Is a directory");
	is_refused("", "No such file or directory");
}

TEST(a_link_that_leads_nowhere)
{
	CHECK(!symlink("loop", in_tmpdir("loop")));
	is_refused(in_tmpdir("loop"), "Too many levels of symbolic links");
	CHECK(!symlink("no/t.stf", in_tmpdir("lost")));
	is_refused(in_tmpdir("lost"), "No such file or directory");
}

/* What another user does in a folder at the worst time: when it was just looked at. */
static void (*after_stat)(void);

int stat(const char *restrict name, struct stat *restrict st)
{
	const int ret = fstatat(AT_FDCWD, name, st, 0);
	void (*then)(void) = after_stat;
	const int error = errno;

	after_stat = NULL;
	if (then)
		then();
	errno = error;
	return ret;
}

static void link_to_victim(void)
{
	CHECK(!symlink("sub/victim", in_tmpdir("t.stf")) &&
	      !lchown(in_tmpdir("t.stf"), 12, 34));
}

TEST(what_another_user_put_into_a_folder_of_all_is_not_used)
{
	struct stat st;

	if (geteuid())
		test_skip("only root can give files to others");
	CHECK(!mkdir(in_tmpdir("sub"), 0700));
	CHECK(!chmod(test_tmpdir(), 01777));
	after_stat = link_to_victim;
	is_refused(in_tmpdir("t.stf"), "Permission denied");
	CHECK(lstat(in_tmpdir("sub/victim"), &st) && errno == ENOENT);
	CHECK(!unlink(in_tmpdir("t.stf")));
	write_file(in_tmpdir("t.stf"), "old", 3);
	CHECK(!chown(in_tmpdir("t.stf"), 12, 34));
	is_refused(in_tmpdir("t.stf"), "Permission denied");
	CHECK(!chmod(test_tmpdir(), 01775));
	is_refused(in_tmpdir("t.stf"), "Permission denied");
	/* Who has the folder may put there what they like. */
	CHECK(!chown(test_tmpdir(), 12, 34));
	CHECK_EQ(stf_writer_close(start("t.stf", 0), NULL), 0);
}

/* The longest name of a file, whose temporary name has to be found all the same. */
TEST(a_name_as_long_as_names_can_be)
{
	char path[NAME_MAX + 100];
	struct stf_error err;
	struct stf_writer *w;
	size_t n;

	n = (size_t)snprintf(path, sizeof(path), "%s/", test_tmpdir());
	CHECK(n + NAME_MAX + 2 < sizeof(path));
	memset(path + n, 'n', NAME_MAX + 1);
	path[n + NAME_MAX] = 0;
	w = stf_writer_open(path, NULL, &err);
	CHECK(w);
	write_header(w);
	CHECK(!exists(path));
	CHECK_EQ(stf_writer_close(w, NULL), 0);
	CHECK_EQ(read_all(path).end, 0);
	path[n + NAME_MAX] = 'n';
	path[n + NAME_MAX + 1] = 0;
	/* Of a folder with a long name, the text has no room for all of it. */
	CHECK(!stf_writer_open(path, NULL, &err));
	CHECK_EQ(err.code, STF_E_IO);
	CHECK(strstr(err.text, "nnn: File name too long"));
}

/* A reason is told whatever it is about. */
TEST(a_name_longer_than_the_text)
{
	char path[PATH_MAX + 10] = "/";
	struct stf_error err;
	size_t n;

	memset(path + 1, 'p', PATH_MAX);
	CHECK(!stf_writer_open(path, NULL, &err));
	n = strlen(err.text);
	CHECK_EQ(n, sizeof(err.text) - 1);
	CHECK_STR(err.text + n - 23, "ppp: File name too long");
	CHECK(!strncmp(err.text, "/pppp", 5));
}

TEST(a_name_that_is_taken_meanwhile)
{
	struct stf_writer *w = start("t.stf", 0);
	struct stf_error err;
	char text[300];

	CHECK(!mkdir(in_tmpdir("t.stf"), 0700));
	CHECK_EQ(stf_writer_close(w, &err), STF_E_IO);
	snprintf(text, sizeof(text), "cannot write %s: Is a directory",
		 in_tmpdir("t.stf"));
	CHECK_STR(err.text, text);
	CHECK(!exists(temporary_name("t.stf")));
}

TEST(a_full_disk_is_reported)
{
	static const char *const comments[] = { "x", NULL };
	struct stf_header hdr = { .size = sizeof(hdr), .comments = comments,
				  .generator = STF_GEN_QEMU };
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
	CHECK(strstr(err.text, "to a file only, not to a pipe"));
	CHECK(strstr(err.text, "its index, at the end"));
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

/* ------------------------------------------------------------------- descriptors */

static const struct stf_writer_opts *container(enum stf_container container)
{
	static struct stf_writer_opts opts;

	opts = (struct stf_writer_opts){ .size = sizeof(opts),
					 .container = container,
					 .chunk_markers = 100 };
	return &opts;
}

static const enum stf_container kinds[] = {
	STF_CONTAINER_AUTO, STF_CONTAINER_ZSTF, STF_CONTAINER_GZ, STF_CONTAINER_XZ
};

/* Behind what is there already, and the descriptor may be closed at once. */
TEST(a_descriptor_is_written_from_where_it_stands)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct result res;
		struct stf_writer *w;
		struct stf_error err;
		struct stf_reader *r;
		int fd;

		write_file(in_tmpdir("t.any"), "before", 6);
		fd = open(in_tmpdir("t.any"), O_RDWR);
		CHECK_EQ(lseek(fd, 6, SEEK_SET), 6);
		w = stf_writer_open_fd(fd, container(kinds[i]), &err);
		CHECK_EQ(err.code, 0);
		close(fd);
		write_header(w);
		write_insts(w, 1000);
		CHECK_EQ(stf_writer_close(w, &err), 0);
		CHECK(read_file(in_tmpdir("t.any"), copy.v, sizeof(copy.v)) > 6);
		CHECK(!memcmp(copy.v, "before", 6));
		fd = open(in_tmpdir("t.any"), O_RDONLY);
		CHECK_EQ(lseek(fd, 6, SEEK_SET), 6);
		r = stf_reader_open_fd(fd, NULL, &err);
		close(fd);
		res = read_opened(r, &err);
		CHECK_EQ(res.end, 0);
		CHECK_EQ(res.insts, 1000);
	}
}

/* The bytes of an older file would be its last ones, where readers look for the index. */
TEST(a_container_is_not_written_in_front_of_other_bytes)
{
	struct stf_error err;
	struct stf_writer *w;
	int fd;

	write_file(in_tmpdir("t.any"), "before", 6);
	fd = open(in_tmpdir("t.any"), O_RDWR);
	CHECK_EQ(lseek(fd, 2, SEEK_SET), 2);
	CHECK(!stf_writer_open_fd(fd, container(STF_CONTAINER_ZSTF), &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(strstr(err.text, "(descriptor): a .zstf cannot be written in front of other bytes"));
	CHECK(!ftruncate(fd, 2));
	w = stf_writer_open_fd(fd, container(STF_CONTAINER_ZSTF), &err);
	CHECK(w);
	stf_writer_abort(w);
	close(fd);
}

TEST(a_container_is_not_appended)
{
	struct stf_error err;
	int fd = open(in_tmpdir("t.any"), O_RDWR | O_CREAT | O_APPEND, 0600);

	CHECK(!stf_writer_open_fd(fd, container(STF_CONTAINER_ZSTF), &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(strstr(err.text, "(descriptor): a .zstf cannot be written to a file that is open for appending"));
	close(fd);
	CHECK(!stf_writer_open_fd(-1, NULL, &err));
	CHECK_STR(err.text, "(descriptor): Bad file descriptor");
}

/* --------------------------------------------------------------------- functions */

/* Bytes that functions were given. */
struct got {
	uint8_t v[1 << 16];
	size_t n;
	size_t full; /* how many have room */
	unsigned int interrupts; /* by signals that are to come */
};

static struct got got;

static int64_t put_at(void *user, const void *data, size_t n, uint64_t offset)
{
	struct got *g = user;

	if (g->interrupts) {
		g->interrupts--;
		errno = EINTR;
		return -1;
	}
	if (offset >= g->full) {
		errno = ENOSPC;
		return -1;
	}
	/* In pieces, as a pipe takes them. */
	n = n > 1000 ? 1000 : n;
	if (n > g->full - offset)
		n = g->full - offset;
	memcpy(g->v + offset, data, n);
	if (offset + n > g->n)
		g->n = offset + n;
	return (int64_t)n;
}

static int64_t put(void *user, const void *data, size_t n)
{
	return put_at(user, data, n, ((struct got *)user)->n);
}

static int64_t put_nothing(void *user, const void *data, size_t n)
{
	(void)user, (void)data, (void)n;
	return 0;
}

static const struct stf_write_calls stream = { .size = sizeof(stream),
					       .user = &got, .write = put };
static const struct stf_write_calls seekable = { .size = sizeof(seekable),
						 .user = &got, .write = put,
						 .write_at = put_at };

static void start_over(size_t full)
{
	got = (struct got){ .full = full };
}

TEST(functions_get_every_container)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct stf_error err;
		struct stf_writer *w;
		struct result res;

		start_over(sizeof(got.v));
		got.interrupts = 3;
		w = stf_writer_open_calls(&seekable, container(kinds[i]), &err);
		write_header(w);
		write_insts(w, 1000);
		CHECK_EQ(stf_writer_close(w, &err), 0);
		res = read_opened(stf_reader_open_memory(got.v, got.n, NULL, &err),
				  &err);
		CHECK_EQ(res.end, 0);
		CHECK_EQ(res.insts, 1000);
	}
}

TEST(what_a_stream_of_functions_cannot_take_is_said)
{
	struct stf_error err;

	CHECK(!stf_writer_open_calls(&stream, container(STF_CONTAINER_ZSTF),
				     &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(strstr(err.text, "(calls): a .zstf is written to a file only"));
	CHECK(!stf_writer_open_calls(&stream, container(STF_CONTAINER_ZSTD),
				     &err));
	CHECK_STR(err.text, "(calls): this container can only be read");
	CHECK(!stf_writer_open_calls(&stream, container((enum stf_container)77), &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK_STR(err.text, "(calls): a container of the number 77 is not known");
}

TEST(functions_that_fail)
{
	static const struct stf_write_calls stuck = { .size = sizeof(stuck),
						      .write = put_nothing };
	static const struct stf_write_calls none = { .size = sizeof(none) };
	struct stf_error err;
	struct stf_writer *w;
	unsigned int i, n;

	for (i = 0; i < 4; i++) {
		start_over(500);
		w = stf_writer_open_calls(&seekable, container(kinds[i]), &err);
		write_header(w);
		for (n = 0; n < 2000; n++)
			stf_write_inst(w, (uint32_t)test_random() | 3, 4);
		CHECK_EQ(stf_writer_close(w, &err), STF_E_IO);
		CHECK_STR(err.text,
			  "cannot write (calls): No space left on device");
	}
	w = stf_writer_open_calls(&stuck, NULL, NULL);
	write_header(w);
	CHECK_EQ(stf_writer_close(w, &err), STF_E_IO);
	CHECK_STR(err.text, "cannot write (calls): Input/output error");
	CHECK(!stf_writer_open_calls(&none, NULL, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK(!stf_writer_open_calls(NULL, NULL, &err));
	CHECK_EQ(err.code, STF_E_INVAL);
	CHECK_STR(err.text, "a bad argument to stf_writer_open_calls()");
}

TEST(messages_have_the_name_that_was_given)
{
	const struct stf_writer_opts opts = { .size = sizeof(opts),
					      .name = "core 3" };
	struct stf_error err;

	CHECK(!stf_writer_open("/nonexistent/x", &opts, &err));
	CHECK_STR(err.text, "core 3: No such file or directory");
}

TEST(the_end_of_a_name_selects_the_container)
{
	CHECK_EQ(stf_container_by_name("a.zstf"), STF_CONTAINER_ZSTF);
	CHECK_EQ(stf_container_by_name("a.stf.gz"), STF_CONTAINER_GZ);
	CHECK_EQ(stf_container_by_name("a.stf.xz"), STF_CONTAINER_XZ);
	CHECK_EQ(stf_container_by_name("zstf.stf"), STF_CONTAINER_PLAIN);
	CHECK_EQ(stf_container_by_name("-"), STF_CONTAINER_PLAIN);
	CHECK_EQ(stf_container_by_name(NULL), STF_CONTAINER_PLAIN);
}
