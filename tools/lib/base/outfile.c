// SPDX-License-Identifier: GPL-2.0-only
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int ending_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM,
				      SIGTERM, SIGXCPU, SIGXFSZ, SIGBUS };
enum { NR_ENDING = sizeof(ending_signals) / sizeof(*ending_signals) };

/* The files that a signal removes. */
static struct outfile *unfinished;
static atomic_flag locked = ATOMIC_FLAG_INIT;

/*
 * A signal handler takes this lock, too. The thread that has it takes no signal, so a
 * handler only waits for other threads.
 */
static void lock(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	while (atomic_flag_test_and_set(&locked))
		;
}

static void unlock(const sigset_t *before)
{
	atomic_flag_clear(&locked);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Files are mapped. Nobody can go on without what was in them. */
static void tell_cut(void)
{
	static const char cut[] = "a file was cut while it was read; nothing was written that looks complete\n";

	if (write(STDERR_FILENO, cut, sizeof(cut) - 1) < 0)
		return; /* there is nobody to tell */
}

/* The lock stays taken, so that no thread begins another file. */
static void remove_unfinished(int nr)
{
	const struct outfile *out;
	sigset_t before;

	lock(&before);
	for (out = unfinished; out; out = out->next)
		unlink(out->temporary);
	if (nr == SIGBUS)
		tell_cut();
	signal(nr, SIG_DFL);
	raise(nr);
}

void outfile_remove_by_signals(void)
{
	struct sigaction action = { .sa_handler = remove_unfinished }, now;
	unsigned int i;

	sigfillset(&action.sa_mask);
	for (i = 0; i < NR_ENDING; i++)
		if (!sigaction(ending_signals[i], NULL, &now) &&
		    now.sa_handler == SIG_DFL)
			sigaction(ending_signals[i], &action, NULL);
}

/* Signals leave it alone. It need not be in the list. */
static void unlist(const struct outfile *out)
{
	struct outfile **p = &unfinished;
	sigset_t before;

	lock(&before);
	while (*p && *p != out)
		p = &(*p)->next;
	if (*p)
		*p = out->next;
	unlock(&before);
}

/* The folder of a path, which is there, and the name in it. */
static const char *split(const char *path, struct stat *folder)
{
	const char *slash = strrchr(path, '/');
	char *copy = strdup(path);

	if (!copy || stat(dirname(copy), folder))
		*folder = (struct stat){ 0 };
	free(copy);
	return slash ? slash + 1 : path;
}

/* 1: it gets its name when it is complete; 0: it is written directly; -1 with errno. */
static int is_named_late(const char *path)
{
	struct stat st;

	if (!stat(path, &st))
		return S_ISREG(st.st_mode) && st.st_nlink;
	/* No file can ever get the name "". */
	return errno == ENOENT && *path ? 1 : -1;
}

/*
 * The rules of fs.protected_symlinks and fs.protected_regular: in a folder like /tmp, nobody
 * uses the links and files that another user put there. The kernel cannot apply them, because
 * links are read here, and a file is not opened but replaced.
 */
static bool is_refused(const struct stat *folder, const struct stat *its)
{
	const mode_t others = S_ISLNK(its->st_mode) ? S_IWOTH : S_IWOTH | S_IWGRP;

	return folder->st_mode & S_ISVTX && folder->st_mode & others &&
	       its->st_uid != geteuid() && its->st_uid != folder->st_uid;
}

static int open_folder(const char *path)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(copy);
	return fd;
}

/*
 * Open what has this name, which may be a symbolic link. The rules are applied to the very
 * file that is opened, because another user may change the folder at any time. -1 with errno:
 * ENOENT if there is nothing, and EACCES by the rules.
 */
static int open_itself(const char *path, struct stat *its)
{
	const int folder = open_folder(path);
	const char *slash = strrchr(path, '/');
	struct stat st;
	int fd, error;

	if (folder < 0)
		return -1;
	fd = openat(folder, slash ? slash + 1 : path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	error = errno;
	if (fd >= 0 && (fstat(folder, &st) || fstat(fd, its) || is_refused(&st, its))) {
		close(fd);
		fd = -1;
		error = EACCES;
	}
	close(folder);
	errno = error;
	return fd;
}

/* What a symbolic link has is relative to its folder. NULL with errno. */
static char *name_in_link(const char *link, const char *target, size_t size)
{
	const char *slash = *target == '/' ? NULL : strrchr(link, '/');
	char *name;

	return asprintf(&name, "%.*s%.*s", slash ? (int)(slash + 1 - link) : 0, link,
			(int)size, target) < 0 ? NULL : name;
}

/*
 * One step through symbolic links. Returns 1 with the next name, 0 if the name is that of no
 * link, or -1 with errno. *its has st_mode 0 if there is no file.
 */
static int follow(const char *name, struct stat *its, char **next)
{
	const int fd = open_itself(name, its);
	char target[PATH_MAX];
	ssize_t n;

	if (fd < 0) {
		its->st_mode = 0;
		return errno == ENOENT ? 0 : -1;
	}
	if (!S_ISLNK(its->st_mode)) {
		close(fd);
		return 0;
	}
	n = readlinkat(fd, "", target, sizeof(target));
	*next = n < 0 ? NULL : name_in_link(name, target, n);
	close(fd);
	return *next ? 1 : -1;
}

/*
 * Through symbolic links to the file that they name, which need not exist. *old is the file
 * that is there, with st_mode 0 if there is none. NULL with errno.
 */
static char *final_name(const char *path, struct stat *old)
{
	enum { LINKS_MAX = 40 }; /* as the kernel's */
	char *name = strdup(path), *next;
	unsigned int nr;
	int ret = 0;

	for (nr = 0; name && (ret = follow(name, old, &next)) > 0; nr++) {
		free(name);
		name = next;
		if (nr == LINKS_MAX) {
			errno = ELOOP;
			ret = -1;
			break;
		}
	}
	if (ret >= 0)
		return name;
	free(name);
	return NULL;
}

bool outfile_is_same(const char *a, const char *b)
{
	char *final_a, *final_b;
	struct stat fa, fb;
	bool same;

	if (!strcmp(a, b))
		return true;
	if (!strcmp(a, "-") || !strcmp(b, "-") || is_named_late(a) <= 0 || is_named_late(b) <= 0)
		return false;
	final_a = final_name(a, &fa);
	final_b = final_name(b, &fb);
	same = final_a && final_b && !strcmp(split(final_a, &fa), split(final_b, &fb)) &&
	       fa.st_ino && fa.st_dev == fb.st_dev && fa.st_ino == fb.st_ino;
	free(final_a);
	free(final_b);
	return same;
}

void outfile_stays(struct outfile *out)
{
	unlist(out);
}

/* Nothing comes between the file and its place in the list. Returns as open(). */
static int create_listed(struct outfile *out, mode_t mode)
{
	sigset_t before;
	int fd;

	lock(&before);
	fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd >= 0) {
		out->next = unfinished;
		unfinished = out;
	}
	unlock(&before);
	return fd;
}

/* What is between the name of the target and PID.N. */
#define PART ".part-"

/*
 * Beside the target, so that the renaming stays on one file system. The name is not
 * longer than the target's may be. Returns a file descriptor, or -1.
 */
static int create_temporary(struct outfile *out, mode_t mode)
{
	enum { LONGEST = NAME_MAX - 32 };
	const char *slash = strrchr(out->path, '/');
	size_t folder = slash ? slash + 1 - out->path : 0;
	unsigned int nr;
	int fd;

	for (nr = 0; nr < 1000; nr++) {
		if (asprintf(&out->temporary, "%.*s%.*s" PART "%ld.%u",
			     (int)folder, out->path, LONGEST,
			     out->path + folder, (long)getpid(), nr) < 0)
			break;
		fd = create_listed(out, mode);
		if (fd >= 0)
			return fd;
		free(out->temporary);
		if (errno != EEXIST)
			break;
	}
	out->temporary = NULL;
	return -1;
}

/* Returns the number at the begin of a text, and stores what comes behind it. -1: none. */
static long parse_number(const char *text, char **end)
{
	return *text >= '0' && *text <= '9' ? strtol(text, end, 10) : -1;
}

/* Whoever has no right to send it a signal also learns that it runs. */
static bool runs(pid_t pid)
{
	return !kill(pid, 0) || errno == EPERM;
}

bool outfile_is_leftover(const char *name, size_t *target)
{
	const char *part = NULL, *at = name;
	long pid;
	char *end;

	while ((at = strstr(at, PART)))
		part = at++;
	if (!part || part == name)
		return false;
	*target = part - name;
	pid = parse_number(part + strlen(PART), &end);
	if (pid <= 0 || pid > INT_MAX || *end != '.' ||
	    parse_number(end + 1, &end) < 0 || *end)
		return false;
	return pid == getpid() || !runs((pid_t)pid);
}

/*
 * The file gets the owner, the group and the permissions of the one that it replaces, as far
 * as the process may give them. Another group may do what all others may, and no more.
 */
static void take_permissions(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;

	if (fchown(fd, old->st_uid, old->st_gid) && fchown(fd, -1, old->st_gid))
		mode &= ~070 | (mode << 3);
	fchmod(fd, mode);
}

/* Nobody else can open it before it has its permissions, and read later what comes then. */
static int create_late(struct outfile *out, const struct stat *old, bool private)
{
	const bool replaces = S_ISREG(old->st_mode);
	const int fd = create_temporary(out, private || replaces ? 0600 : 0666);

	if (fd >= 0 && replaces && !private)
		take_permissions(fd, old);
	return fd;
}

/* How a file is opened. */
enum way { PLAIN, PRIVATE, INSIDE };

/* As final_name(), but it is the name that was given. */
static char *only_name(const char *path, struct stat *old)
{
	const int fd = open_itself(path, old);

	if (fd >= 0)
		close(fd);
	else if (errno == ENOENT)
		old->st_mode = 0;
	else
		return NULL;
	if (!old->st_mode || S_ISREG(old->st_mode))
		return strdup(path);
	errno = ELOOP;
	return NULL;
}

static FILE *create_as(struct outfile *out, const char *path, enum way way)
{
	struct stat old;
	FILE *file;
	int fd;

	out->path = way == INSIDE ? only_name(path, &old) : final_name(path, &old);
	fd = out->path ? create_late(out, &old, way == PRIVATE) : -1;
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

static FILE *create(struct outfile *out, const char *path, enum way way)
{
	int late;

	if (way == INSIDE)
		return create_as(out, path, way);
	if (!strcmp(path, "-"))
		return stdout;
	late = is_named_late(path);
	if (late <= 0)
		return late ? NULL : fopen(path, "we");
	return create_as(out, path, way);
}

/* The temporary file goes, if it is still there. errno stays. */
static void discard(struct outfile *out)
{
	int error = errno;

	if (out->temporary)
		unlink(out->temporary);
	unlist(out);
	free(out->temporary);
	free(out->path);
	*out = (struct outfile){ 0 };
	errno = error;
}

static int open_as(struct outfile *out, const char *path, enum way way)
{
	*out = (struct outfile){ 0 };
	out->file = create(out, path, way);
	if (out->file)
		return 0;
	discard(out);
	return -1;
}

int outfile_open(struct outfile *out, const char *path)
{
	return open_as(out, path, PLAIN);
}

int outfile_open_private(struct outfile *out, const char *path)
{
	return open_as(out, path, PRIVATE);
}

int outfile_open_inside(struct outfile *out, const char *path)
{
	return open_as(out, path, INSIDE);
}

int outfile_sync(struct outfile *out)
{
	if (!out->temporary)
		return 0;
	out->synced = true;
	return fflush(out->file) || fsync(fileno(out->file)) ? -1 : 0;
}

/* Wait until the disk has the name. Not all file systems can do it. */
static void sync_folder(const struct outfile *out)
{
	char *path = strdup(out->path);
	int fd = path ? open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(path);
}

int outfile_flush(FILE *file)
{
	int error;

	if (fflush(file))
		error = errno;
	else if (!ferror(file))
		return 0;
	else /* stdio forgot why, and the data. One more byte tells. */
		error = write(fileno(file), "", 1) < 0 ? errno : EIO;
	__fpurge(file);
	clearerr(file);
	return error;
}

int outfile_close(struct outfile *out, bool keep)
{
	int error = outfile_flush(out->file);

	if (out->file != stdout && fclose(out->file) && !error)
		error = errno;
	if (!error && keep && out->temporary) {
		if (rename(out->temporary, out->path)) {
			error = errno;
		} else {
			unlist(out);
			free(out->temporary);
			out->temporary = NULL;
			if (out->synced)
				sync_folder(out);
		}
	}
	discard(out);
	errno = error;
	return error ? -1 : 0;
}

char *outfile_leave(struct outfile *out)
{
	char *name = out->temporary;

	unlist(out);
	out->temporary = NULL;
	outfile_close(out, false);
	return name;
}

int outfile_commit(struct outfile *out)
{
	const int error = outfile_sync(out) ? errno : 0;

	if (outfile_close(out, !error))
		return -1;
	errno = error;
	return error ? -1 : 0;
}
