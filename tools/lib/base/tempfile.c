// SPDX-License-Identifier: GPL-2.0-only
#include "base/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *tempfile_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

int tempfile_open(void)
{
	const char *folder = tempfile_folder();
	char *path;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* Not all file systems have files without a name. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	if (asprintf(&path, "%s/ssctr-XXXXXX", folder) < 0)
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

#define OPEN_FILES "/proc/self/fd/"

void tempfile_path(int fd, char path[TEMPFILE_PATH])
{
	snprintf(path, TEMPFILE_PATH, OPEN_FILES "%d", fd);
}

bool tempfile_is(const char *path)
{
	struct stat st;

	return !strncmp(path, OPEN_FILES, strlen(OPEN_FILES)) && !stat(path, &st) &&
	       S_ISREG(st.st_mode) && !st.st_nlink;
}

int tempfile_error(struct error *error)
{
	return error_set(error, ERROR_OUTPUT, "cannot write a temporary file in %s: %s",
			 tempfile_folder(), strerror(errno));
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	ssize_t n;

	for (; size; bytes += n, size -= (size_t)n) {
		n = write(fd, bytes, size);
		if (n < 0 && errno != EINTR)
			return false;
		n = n < 0 ? 0 : n;
	}
	return true;
}

int tempfile_copy(int pipe)
{
	enum { PIECE = 1 << 16 };
	char *bytes = malloc(PIECE);
	int fd = bytes ? tempfile_open() : -1, error;
	ssize_t n = 1;

	while (fd >= 0 && n) {
		n = read(pipe, bytes, PIECE);
		if (n < 0 ? errno == EINTR : write_all(fd, bytes, (size_t)n))
			continue;
		error = errno;
		close(fd);
		errno = error;
		fd = -1;
	}
	free(bytes);
	return fd;
}
