// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name that is as long as a file system allows has a shorter temporary one. */
enum { LONGEST_NAME = NAME_MAX - 32 };

static int64_t fd_write(void *user, const void *data, size_t n)
{
	const struct stf_file *file = user;

	return write(file->fd, data, n);
}

static int64_t fd_write_at(void *user, const void *data, size_t n,
			   uint64_t offset)
{
	const struct stf_file *file = user;

	return pwrite(file->fd, data, n, (off_t)(file->start + offset));
}

/* Beside the target, so that the renaming stays on one file system. */
static int open_temporary(struct stf_file *file, mode_t mode)
{
	const char *slash = strrchr(file->target, '/');
	int folder = slash ? (int)(slash + 1 - file->target) : 0;
	unsigned int nr;

	for (nr = 0; nr < 1000; nr++) {
		if (asprintf(&file->temporary, "%.*s%.*s.part-%ld.%u", folder,
			     file->target, LONGEST_NAME, file->target + folder,
			     (long)getpid(), nr) < 0) {
			file->temporary = NULL;
			return stf_no_memory(file->err, file->path);
		}
		file->fd = open(file->temporary,
				O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (file->fd >= 0)
			return 0;
		free(file->temporary);
		file->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	return stf_fail_errno(file->err, "%s", file->path);
}

/* What a symbolic link has is relative to its folder. NULL with errno. */
static char *name_in_link(const char *link, const char *target, size_t size)
{
	const char *slash = *target == '/' ? NULL : strrchr(link, '/');
	char *name;

	return asprintf(&name, "%.*s%.*s", slash ? (int)(slash + 1 - link) : 0,
			link, (int)size, target) < 0 ? NULL : name;
}

/*
 * The rules of fs.protected_symlinks and fs.protected_regular: in a folder like /tmp, nobody
 * uses the links and files that another user put there. The kernel cannot apply them, because
 * links are read here, and a file is not opened but replaced.
 */
static bool is_refused(const struct stat *folder, const struct stat *its)
{
	const mode_t others = S_ISLNK(its->st_mode) ? S_IWOTH :
						      S_IWOTH | S_IWGRP;

	return folder->st_mode & S_ISVTX && folder->st_mode & others &&
	       its->st_uid != geteuid() && its->st_uid != folder->st_uid;
}

static int open_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) :
			       strdup(".");
	int fd = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(folder);
	return fd;
}

/*
 * Open what has this name, which may be a symbolic link. The rules are applied to the very
 * file that is opened, because another user may change the folder at any time. -1 with errno:
 * ENOENT if there is nothing, and EACCES by the rules.
 */
static int open_itself(const char *path, struct stat *its)
{
	const char *slash = strrchr(path, '/');
	const int folder = open_folder(path);
	struct stat st;
	int fd, error;

	if (folder < 0)
		return -1;
	fd = openat(folder, slash ? slash + 1 : path,
		    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	error = errno;
	if (fd >= 0 && (fstat(folder, &st) || fstat(fd, its) ||
			is_refused(&st, its))) {
		close(fd);
		fd = -1;
		error = EACCES;
	}
	close(folder);
	errno = error;
	return fd;
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
	*next = n < 0 ? NULL : name_in_link(name, target, (size_t)n);
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

/*
 * The file gets the owner, the group and the permissions of the one that it replaces, as far
 * as the process may give them. Another group may do what all others may, and no more.
 */
static void take_permissions(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;

	if (fchown(fd, old->st_uid, old->st_gid) &&
	    fchown(fd, (uid_t)-1, old->st_gid))
		mode &= ~070u | (mode << 3);
	fchmod(fd, mode);
}

static int open_path(struct stf_file *file, const char *path)
{
	struct stat st;
	bool replaces;
	int ret;

	/* What the last rename would be refused is not tried. */
	if (stat(path, &st)) {
		if (errno != ENOENT || !*path)
			return stf_fail_errno(file->err, "%s", file->path);
	} else if (!S_ISREG(st.st_mode)) {
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
		return file->fd < 0 ?
			       stf_fail_errno(file->err, "%s", file->path) : 0;
	}
	file->target = final_name(path, &st);
	if (!file->target)
		return stf_fail_errno(file->err, "%s", file->path);
	/* Nobody else can open it before it has its permissions. */
	replaces = S_ISREG(st.st_mode);
	ret = open_temporary(file, replaces ? 0600 : 0666);
	if (!ret && replaces)
		take_permissions(file->fd, &st);
	return ret;
}

/* A copy of the descriptor, so that it is closed like any other. */
static int copy_fd(struct stf_file *file, int fd)
{
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return file->fd < 0 ? stf_fail_errno(file->err, "%s", file->path) : 0;
}

static const char of_stream[] =
	"a .zstf is written to a file only, not to a pipe: each chunk moves its index, at the end";

/*
 * Why a .zstf cannot be written to the descriptor. What is opened for appending is written
 * at its end, wherever asked for. A reader finds the index at the end of the file, which the
 * bytes of an older one must not be.
 */
static const char *why_stream(const struct stf_file *file, off_t start)
{
	struct stat st;

	if (start < 0)
		return of_stream;
	if (fcntl(file->fd, F_GETFL) & O_APPEND)
		return "a .zstf cannot be written to a file that is open for appending: each chunk moves its index, at the end";
	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode) && st.st_size > start)
		return "a .zstf cannot be written in front of other bytes: truncate the file at the offset first";
	return NULL;
}

int stf_file_open(struct stf_file *file, const struct stf_target *to,
		  const char *path, struct stf_error *err)
{
	off_t start;
	int ret;

	*file = (struct stf_file){ .fd = -1, .path = path, .err = err };
	if (to->calls) {
		file->calls = *to->calls;
		file->why_stream = of_stream;
		return 0;
	}
	file->calls.user = file;
	file->calls.write = fd_write;
	ret = to->path ? open_path(file, to->path) : copy_fd(file, to->fd);
	if (ret)
		return ret;
	start = lseek(file->fd, 0, SEEK_CUR);
	file->why_stream = why_stream(file, start);
	if (!file->why_stream) {
		file->start = (uint64_t)start;
		file->calls.write_at = fd_write_at;
	}
	return 0;
}

/* offset: NULL for the end. */
static int write_all(struct stf_file *file, const char *p, size_t size,
		     const uint64_t *offset)
{
	const struct stf_write_calls *calls = &file->calls;
	size_t done = 0;

	while (done < size) {
		int64_t n = offset ?
				    calls->write_at(calls->user, p + done,
						    size - done, *offset + done) :
				    calls->write(calls->user, p + done,
						 size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = EIO;
		if (n <= 0)
			return stf_fail_errno(file->err, "cannot write %s",
					      file->path);
		done += (size_t)n;
	}
	return 0;
}

int stf_file_write(struct stf_file *file, const void *data, size_t size)
{
	int err = write_all(file, data, size, NULL);

	if (!err)
		file->size += size;
	return err;
}

int stf_file_write_at(struct stf_file *file, const void *data, size_t size,
		      uint64_t offset)
{
	return write_all(file, data, size, &offset);
}

int stf_file_commit(struct stf_file *file)
{
	int fd = file->fd;

	/* A network file system reports a full disk only here. */
	file->fd = -1;
	if ((fd >= 0 && close(fd)) ||
	    (file->temporary && rename(file->temporary, file->target)))
		return stf_fail_errno(file->err, "cannot write %s", file->path);
	free(file->temporary);
	file->temporary = NULL;
	return 0;
}

void stf_file_close(struct stf_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->target);
}
