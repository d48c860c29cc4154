// SPDX-License-Identifier: GPL-2.0-only
/* Files that are there whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "test.h"

static struct outfile out;
static char path[128];

static void begin(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", test_tmpdir(), name);
}

/* What is in the file; "" if there is none. */
static const char *content(void)
{
	static char text[64];
	FILE *file = fopen(path, "r");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[n] = 0;
	if (file)
		fclose(file);
	return text;
}

static void write_before(void)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fputs("before", file) >= 0 && !fclose(file));
}

static unsigned int nr_files(void)
{
	DIR *dir = opendir(test_tmpdir());
	struct dirent *e;
	unsigned int nr = 0;

	while ((e = readdir(dir)))
		nr += e->d_name[0] != '.';
	closedir(dir);
	return nr;
}

/* A file may have this many bytes from here on, as if the disk was full then. */
static void allow(rlim_t size)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
}

/* More than stdio keeps to itself, where no file takes more than a part of it. */
static void write_too_much(void)
{
	static const char much[1 << 16];
	size_t n;

	CHECK(!fflush(stdout));
	allow(4096);
	n = fwrite(much, 1, sizeof(much), out.file);
	CHECK(n < sizeof(much) || fflush(out.file));
}

TEST(a_file_is_there_when_it_is_whole)
{
	begin("x");
	write_before();
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK(fputs("after", out.file) >= 0 && !fflush(out.file));
	CHECK_STR(content(), "before");
	CHECK_EQ(nr_files(), 2);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_STR(content(), "after");
	CHECK_EQ(nr_files(), 1);
}

TEST(a_file_that_is_not_kept_leaves_nothing)
{
	begin("x");
	write_before();
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK(fputs("after", out.file) >= 0);
	CHECK_EQ(outfile_close(&out, false), 0);
	CHECK_STR(content(), "before");
	CHECK_EQ(nr_files(), 1);
}

TEST(a_file_has_the_permissions_that_the_umask_leaves)
{
	mode_t before = umask(027);
	struct stat st;

	begin("x");
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK_EQ(umask(before), 027);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_EQ(stat(path, &st), 0);
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

static mode_t mode_of(int fd)
{
	struct stat st;

	CHECK(!(fd < 0 ? stat(path, &st) : fstat(fd, &st)));
	return st.st_mode & 07777;
}

/* Replace a file that has these permissions. Returns those of the new one. */
static mode_t replace(mode_t mode, int (*open_it)(struct outfile *, const char *))
{
	mode_t empty, whole;

	begin("x");
	write_before();
	CHECK(!chmod(path, mode));
	CHECK_EQ(open_it(&out, path), 0);
	empty = mode_of(fileno(out.file));
	CHECK(fputs("after", out.file) >= 0);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_STR(content(), "after");
	whole = mode_of(-1);
	/* Whoever opened it while it was empty could read all of it. */
	CHECK_EQ(empty, whole);
	CHECK(!unlink(path));
	return whole;
}

TEST(a_file_that_is_replaced_keeps_its_permissions)
{
	static const mode_t modes[] = { 0600, 0640, 0644, 0666, 0755, 0444 };
	const mode_t before = umask(027);
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		CHECK_EQ(replace(modes[i], outfile_open), modes[i]);
	CHECK_EQ(replace(06755, outfile_open), 0755);
	no_fchmod = true;
	CHECK_EQ(replace(0644, outfile_open), 0600);
	no_fchmod = false;
	umask(before);
}

TEST(a_group_that_cannot_be_kept_gives_no_rights_to_another)
{
	no_fchown = true;
	CHECK_EQ(replace(0640, outfile_open), 0600);
	CHECK_EQ(replace(0664, outfile_open), 0644);
	CHECK_EQ(replace(0705, outfile_open), 0705);
	no_fchown = false;
}

TEST(root_leaves_a_file_to_its_owner)
{
	struct stat st;

	if (geteuid())
		test_skip("only root can give files to others");
	begin("x");
	write_before();
	CHECK(!chown(path, 12, 34) && !chmod(path, 0640));
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_uid, 12);
	CHECK_EQ(st.st_gid, 34);
	CHECK_EQ(st.st_mode & 0777, 0640);
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

enum { ANOTHER = 12 }; /* the other user */

/* Returns whether a file in a folder of this owner and mode can be opened as output. */
static bool is_allowed(uid_t owner, mode_t mode)
{
	CHECK(!chown(test_tmpdir(), owner, 0) && !chmod(test_tmpdir(), mode));
	if (!outfile_open(&out, path))
		return !outfile_close(&out, false);
	CHECK_EQ(errno, EACCES);
	return false;
}

static void link_to_root(void)
{
	CHECK(!symlink("sub/victim", path) && !lchown(path, ANOTHER, ANOTHER));
}

static bool follows_link(uid_t owner, mode_t mode)
{
	bool follows;

	after_stat = link_to_root;
	follows = is_allowed(owner, mode);
	CHECK(!unlink(path));
	return follows;
}

/* The rule of fs.protected_symlinks, also where the kernel saw no link. */
TEST(a_link_of_another_user_is_not_followed_in_a_folder_of_all)
{
	if (geteuid())
		test_skip("only root can make links of others");
	begin("sub");
	CHECK(!mkdir(path, 0700));
	begin("x");
	CHECK(!follows_link(0, 01777));
	CHECK(!follows_link(34, 01777));
	CHECK(follows_link(ANOTHER, 01777));
	CHECK(follows_link(0, 01775));
	CHECK(follows_link(0, 0777));
	CHECK(follows_link(0, 01755));
	CHECK(!symlink("sub/victim", path));
	CHECK(is_allowed(34, 01777));
}

/* Their owner could go on to change what looks as if root had written it. */
TEST(a_file_of_another_user_is_not_replaced_in_a_folder_of_all)
{
	if (geteuid())
		test_skip("only root can give files to others");
	begin("x");
	write_before();
	CHECK(is_allowed(34, 01777));
	CHECK(!chown(path, ANOTHER, ANOTHER));
	CHECK(!is_allowed(0, 01777));
	CHECK(!is_allowed(0, 01775));
	CHECK(!is_allowed(34, 01777));
	CHECK(is_allowed(ANOTHER, 01777));
	CHECK(is_allowed(0, 0777));
	CHECK(is_allowed(0, 01755));
	CHECK_STR(content(), "before");
}

TEST(nobody_else_can_ever_read_a_private_file)
{
	const mode_t before = umask(0);

	no_fchmod = true;
	CHECK_EQ(replace(0644, outfile_open_private), 0600);
	begin("x");
	CHECK_EQ(outfile_open_private(&out, path), 0);
	CHECK_EQ(mode_of(fileno(out.file)), 0600);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_EQ(mode_of(-1), 0600);
	no_fchmod = false;
	umask(before);
}

TEST(a_disk_that_fills_up_leaves_what_was_there)
{
	int ret, error;

	begin("x");
	write_before();
	CHECK_EQ(outfile_open(&out, path), 0);
	write_too_much();
	ret = outfile_close(&out, true);
	error = errno;
	allow(RLIM_INFINITY);
	CHECK_EQ(ret, -1);
	CHECK_EQ(error, EFBIG);
	CHECK_STR(content(), "before");
	CHECK_EQ(nr_files(), 1);
}

/* What was refused is not in the file, even if there is room again afterwards. */
TEST(one_write_that_failed_spoils_the_file)
{
	begin("x");
	write_before();
	CHECK_EQ(outfile_open(&out, path), 0);
	write_too_much();
	allow(RLIM_INFINITY);
	CHECK_EQ(outfile_close(&out, true), -1);
	CHECK_EQ(errno, EIO);
	CHECK_STR(content(), "before");
	CHECK_EQ(nr_files(), 1);
}

/* Only what is on the disk gets the name, and why it is not there is told. */
TEST(a_file_that_the_disk_does_not_take_is_not_kept)
{
	begin("x");
	write_before();
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK(fputs("more than fits", out.file) >= 0);
	CHECK(!fflush(stdout));
	allow(4);
	errno = 0;
	CHECK_EQ(outfile_commit(&out), -1);
	CHECK_EQ(errno, EFBIG);
	allow(RLIM_INFINITY);
	CHECK_STR(content(), "before");
	CHECK_EQ(nr_files(), 1);
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK(fputs("after", out.file) >= 0);
	CHECK_EQ(outfile_commit(&out), 0);
	CHECK_STR(content(), "after");
}

TEST(a_file_that_cannot_get_its_name_leaves_nothing)
{
	begin("x");
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK_EQ(mkdir(path, 0700), 0);
	CHECK_EQ(outfile_close(&out, true), -1);
	CHECK_EQ(errno, EISDIR);
	CHECK_EQ(nr_files(), 1);
}

TEST(a_link_goes_on_leading_to_the_file)
{
	char link[160];
	struct stat st;

	begin("x");
	write_before();
	snprintf(link, sizeof(link), "%s/link", test_tmpdir());
	CHECK_EQ(symlink("x", link), 0);
	CHECK_EQ(outfile_open(&out, link), 0);
	CHECK(fputs("after", out.file) >= 0);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_STR(content(), "after");
	CHECK_EQ(lstat(link, &st), 0);
	CHECK(S_ISLNK(st.st_mode));
}

static void make_link(const char *to, const char *name)
{
	char link[160];

	snprintf(link, sizeof(link), "%s/%s", test_tmpdir(), name);
	CHECK_EQ(symlink(to, link), 0);
}

TEST(a_link_may_lead_to_a_file_that_is_not_there_yet)
{
	char folder[160], full[200];
	struct stat st;

	snprintf(folder, sizeof(folder), "%s/sub", test_tmpdir());
	CHECK_EQ(mkdir(folder, 0700), 0);
	snprintf(full, sizeof(full), "%s/next", folder);
	make_link(full, "first");
	make_link("../sub/new", "sub/next");
	begin("sub/new");
	snprintf(full, sizeof(full), "%s/first", test_tmpdir());
	CHECK(outfile_is_same(full, path));
	CHECK_EQ(outfile_open(&out, full), 0);
	CHECK(fputs("after", out.file) >= 0);
	CHECK_STR(content(), "");
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_STR(content(), "after");
	CHECK(!lstat(full, &st) && S_ISLNK(st.st_mode));
	snprintf(full, sizeof(full), "%s/next", folder);
	CHECK(!lstat(full, &st) && S_ISLNK(st.st_mode));
}

/* Of these, no user has said that they lead elsewhere. */
TEST(a_name_that_the_program_gives_is_that_of_a_file)
{
	char inside[160];

	begin("x");
	write_before();
	snprintf(inside, sizeof(inside), "%s/inside", test_tmpdir());
	make_link("x", "inside");
	CHECK_EQ(outfile_open_inside(&out, inside), -1);
	CHECK_EQ(errno, ELOOP);
	CHECK(!unlink(inside));
	make_link("none", "inside");
	CHECK_EQ(outfile_open_inside(&out, inside), -1);
	CHECK_EQ(errno, ELOOP);
	CHECK(!unlink(inside) && !mkfifo(inside, 0600));
	CHECK_EQ(outfile_open_inside(&out, inside), -1);
	CHECK_EQ(errno, ELOOP);
	CHECK_EQ(nr_files(), 2);
	CHECK_STR(content(), "before");
	CHECK_EQ(replace(0640, outfile_open_inside), 0640);
	CHECK_EQ(outfile_open_inside(&out, path), 0);
	CHECK(fputs("new", out.file) >= 0);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_STR(content(), "new");
}

TEST(a_link_that_leads_nowhere_is_an_error)
{
	make_link("no/x", "lost");
	begin("lost");
	CHECK_EQ(outfile_open(&out, path), -1);
	CHECK_EQ(errno, ENOENT);
	make_link("loop", "loop");
	begin("loop");
	CHECK_EQ(outfile_open(&out, path), -1);
	CHECK_EQ(errno, ELOOP);
	CHECK_EQ(nr_files(), 2);
}

TEST(the_longest_name_that_a_file_may_have_is_none_too_long)
{
	char name[NAME_MAX + 1];

	memset(name, 'x', NAME_MAX);
	name[NAME_MAX] = 0;
	CHECK_EQ(chdir(test_tmpdir()), 0);
	CHECK_EQ(outfile_open(&out, name), 0);
	CHECK(fputs("kept", out.file) >= 0);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_EQ(access(name, F_OK), 0);
	CHECK_EQ(unlink(name), 0);
}

TEST(a_name_that_is_too_long_is_an_error_at_once)
{
	char name[sizeof(path) + NAME_MAX + 2];

	begin("");
	snprintf(name, sizeof(name), "%s%0*d", path, NAME_MAX + 1, 0);
	CHECK_EQ(outfile_open(&out, name), -1);
	CHECK_EQ(errno, ENAMETOOLONG);
}

TEST(a_folder_that_is_not_there_is_an_error)
{
	begin("no/x");
	CHECK_EQ(outfile_open(&out, path), -1);
	CHECK_EQ(errno, ENOENT);
}

/* A device or a pipe has no name to give to another file. */
TEST(no_name_is_an_error_at_once)
{
	CHECK_EQ(chdir(test_tmpdir()), 0);
	CHECK_EQ(outfile_open(&out, ""), -1);
	CHECK_EQ(errno, ENOENT);
	CHECK_EQ(outfile_open_private(&out, ""), -1);
	CHECK_EQ(errno, ENOENT);
	CHECK_EQ(nr_files(), 0);
}

TEST(what_is_no_file_is_written_as_it_is)
{
	char got[8] = "";
	int reader;

	begin("pipe");
	CHECK_EQ(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK);
	CHECK(reader >= 0);
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK_EQ(nr_files(), 1);
	CHECK(fputs("text", out.file) >= 0);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_EQ(read(reader, got, sizeof(got) - 1), 4);
	CHECK_STR(got, "text");
	close(reader);
	CHECK_EQ(nr_files(), 1);
}

/* stdio has no reason for a write of before. */
TEST(a_full_device_tells_so_when_it_is_closed)
{
	static char much[100000];

	CHECK_EQ(outfile_open(&out, "/dev/full"), 0);
	CHECK_EQ(fwrite(much, 1, sizeof(much), out.file) == sizeof(much), false);
	CHECK_EQ(outfile_close(&out, true), -1);
	CHECK_EQ(errno, ENOSPC);
}

TEST(an_error_is_told_once)
{
	FILE *file = fopen("/dev/full", "w");

	CHECK(file);
	CHECK(fputs("more than it takes", file) >= 0);
	CHECK_EQ(outfile_flush(file), ENOSPC);
	CHECK_EQ(outfile_flush(file), 0);
	CHECK_EQ(fclose(file), 0);
}

/* As of a command that was started with <&-. */
TEST(a_file_may_be_the_only_one_that_is_open)
{
	int input = dup(STDIN_FILENO);

	begin("x");
	close(STDIN_FILENO);
	CHECK_EQ(outfile_open(&out, path), 0);
	CHECK_EQ(fileno(out.file), STDIN_FILENO);
	CHECK(fputs("text", out.file) >= 0);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK_STR(content(), "text");
	CHECK_EQ(dup2(input, STDIN_FILENO), STDIN_FILENO);
	close(input);
}

TEST(a_dash_is_standard_output_and_stays_open)
{
	CHECK_EQ(outfile_open(&out, "-"), 0);
	CHECK(out.file == stdout);
	CHECK_EQ(outfile_close(&out, true), 0);
	CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
	CHECK(!ferror(stdout));
}

/*
 * Begin x in a process of its own, which then gets the signal. Returns the signal that
 * ended it, or 0.
 */
static int write_until(int nr, void (*then)(struct outfile *))
{
	const struct rlimit no_core = { 0 };
	int status;
	pid_t pid;

	begin("x");
	write_before();
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		outfile_remove_by_signals();
		if (outfile_open(&out, path) || nr_files() != 2)
			_exit(1);
		if (then)
			then(&out);
		raise(nr);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) || !WEXITSTATUS(status));
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(a_signal_removes_what_is_not_complete)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM,
				       SIGTERM, SIGXCPU, SIGXFSZ, SIGBUS };
	unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		signal(signals[i], SIG_DFL);
		CHECK_EQ(write_until(signals[i], NULL), signals[i]);
		CHECK_STR(content(), "before");
		CHECK_EQ(nr_files(), 1);
	}
}

static void complete_it(struct outfile *file)
{
	static struct outfile other;
	char name[160];

	/* In the middle of the list, too. */
	snprintf(name, sizeof(name), "%s-other", path);
	CHECK_EQ(outfile_open(&other, name), 0);
	CHECK(fputs("after", file->file) >= 0);
	CHECK_EQ(outfile_close(file, true), 0);
}

TEST(a_signal_leaves_what_is_complete)
{
	CHECK_EQ(write_until(SIGTERM, complete_it), SIGTERM);
	CHECK_STR(content(), "after");
	CHECK_EQ(nr_files(), 1);
}

TEST(a_signal_leaves_what_can_be_used)
{
	CHECK_EQ(write_until(SIGTERM, outfile_stays), SIGTERM);
	CHECK_STR(content(), "before");
	CHECK_EQ(nr_files(), 2);
}

/* As under nohup. */
TEST(a_signal_that_was_ignored_stays_ignored)
{
	signal(SIGHUP, SIG_IGN);
	CHECK_EQ(write_until(SIGHUP, complete_it), 0);
	signal(SIGHUP, SIG_DFL);
	CHECK_STR(content(), "after");
}

/* Begins and completes files until the process ends. */
static void *write_files(void *name)
{
	struct outfile own;

	for (;;)
		if (outfile_open(&own, name) || outfile_close(&own, true))
			_exit(1);
	return NULL;
}

/* Each comes at another moment, in one of two threads that both write. */
TEST(a_signal_at_any_time_leaves_no_temporary_file)
{
	unsigned int i;

	begin("x");
	for (i = 0; i < 100; i++) {
		pthread_t thread;
		struct dirent *e;
		int status;
		pid_t pid = fork();
		DIR *dir;

		CHECK(pid >= 0);
		if (!pid) {
			char other[160];

			snprintf(other, sizeof(other), "%s-other", path);
			outfile_remove_by_signals();
			if (!pthread_create(&thread, NULL, write_files, other))
				write_files(path);
			_exit(1);
		}
		usleep(2000 + test_random() % 2000);
		CHECK_EQ(kill(pid, i & 1 ? SIGINT : SIGTERM), 0);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSIGNALED(status));
		dir = opendir(test_tmpdir());
		while ((e = readdir(dir)))
			CHECK(!strstr(e->d_name, ".part"));
		closedir(dir);
	}
}
