// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beside the target, so that the renaming stays on one file system. */
static int open_temporary(struct stf_file *file)
{
	unsigned int nr;

	for (nr = 0; nr < 1000; nr++) {
		free(file->temporary);
		if (asprintf(&file->temporary, "%s.part-%ld.%u", file->target,
			     (long)getpid(), nr) < 0) {
			file->temporary = NULL;
			return stf_fail(file->err, STF_E_NOMEM, "%s: no memory",
					file->path);
		}
		file->fd = open(file->temporary,
				O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (file->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	stf_fail_errno(file->err, "%s", file->temporary);
	free(file->temporary);
	file->temporary = NULL;
	return STF_E_IO;
}

static int open_path(struct stf_file *file, const char *path)
{
	struct stat st;

	if (!strcmp(path, "-")) {
		/* A copy, so that it is closed like any other. */
		file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		return file->fd < 0 ?
			       stf_fail_errno(file->err, "standard output") : 0;
	}
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
		return file->fd < 0 ? stf_fail_errno(file->err, "%s", path) : 0;
	}
	/* Through a symbolic link to the file it names, which may not exist. */
	file->target = realpath(path, NULL);
	if (!file->target)
		file->target = strdup(path);
	if (!file->target)
		return stf_fail(file->err, STF_E_NOMEM, "%s: no memory", path);
	return open_temporary(file);
}

int stf_file_open(struct stf_file *file, const char *path,
		  struct stf_error *err)
{
	int ret;

	*file = (struct stf_file){ .fd = -1, .err = err };
	file->path = strdup(strcmp(path, "-") ? path : "(stdout)");
	if (!file->path)
		return stf_fail(err, STF_E_NOMEM, "%s: no memory", path);
	ret = open_path(file, path);
	if (ret)
		stf_file_close(file);
	return ret;
}

int stf_file_write(struct stf_file *file, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(file->fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return stf_fail_errno(file->err, "cannot write %s",
					      file->path);
		p += n;
		size -= (size_t)n;
		file->size += (uint64_t)n;
	}
	return 0;
}

int stf_file_write_at(struct stf_file *file, uint64_t offset, const void *data,
		      size_t size)
{
	const char *p = data;

	while (size) {
		ssize_t n = pwrite(file->fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return stf_fail_errno(file->err, "cannot write %s",
					      file->path);
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int stf_file_commit(struct stf_file *file)
{
	int fd = file->fd;

	/* A network file system reports a full disk only here. */
	file->fd = -1;
	if (close(fd))
		return stf_fail_errno(file->err, "cannot write %s", file->path);
	if (!file->temporary)
		return 0;
	if (rename(file->temporary, file->target))
		return stf_fail_errno(file->err, "cannot rename %s to %s",
				      file->temporary, file->target);
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
	free(file->path);
}
