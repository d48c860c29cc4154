// SPDX-License-Identifier: GPL-2.0-only
#include "base/own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check(int fd, const char *path, struct error *error)
{
	struct stat st;

	if (fstat(fd, &st))
		return error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	if (st.st_uid && st.st_uid != geteuid())
		return error_set(error, ERROR_OUTPUT,
				 "%s: the folder belongs to another user, who could redirect what is written there; use a new folder, or give this one to yourself with chown",
				 path);
	/* With an ACL, these bits of the group say what anybody in it may do at most. */
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return error_set(error, ERROR_OUTPUT,
				 "%s: other users can write into the folder, and could redirect what is written there; use chmod go-w",
				 path);
	return 0;
}

int own_folder(const char *path, bool nofollow, struct error *error)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
					  (nofollow ? O_NOFOLLOW : 0));

	if (fd < 0) {
		error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
		return -1;
	}
	if (!check(fd, path, error))
		return fd;
	close(fd);
	return -1;
}

int own_folder_check(const char *path, bool nofollow, struct error *error)
{
	const int fd = own_folder(path, nofollow, error);

	if (fd < 0)
		return ERROR_OUTPUT;
	close(fd);
	return 0;
}

/* A pipe is not waited for. */
int own_file(int dir, const char *name)
{
	const int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = ELOOP;
	return -1;
}

ssize_t own_read(char *text, size_t size, int dir, const char *name)
{
	const int fd = own_file(dir, name);
	ssize_t n = -1;
	int error;

	*text = 0;
	if (fd < 0)
		return -1;
	while ((n = read(fd, text, size - 1)) < 0 && errno == EINTR)
		;
	error = errno;
	text[n < 0 ? 0 : n] = 0;
	close(fd);
	errno = error;
	return n;
}

const char *own_strerror(int code)
{
	return code == ELOOP ? "this is not a regular file, and no link is followed here; remove it" :
			       strerror(code);
}
