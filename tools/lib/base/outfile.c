// SPDX-License-Identifier: GPL-2.0-only
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Beside the target, so that the renaming stays on one file system. The name is not
 * longer than the target's may be. Returns a file descriptor, or -1.
 */
static int create_temporary(struct outfile *out)
{
	enum { LONGEST = NAME_MAX - 32 };
	const char *slash = strrchr(out->path, '/');
	size_t folder = slash ? slash + 1 - out->path : 0;
	unsigned int nr;
	int fd;

	for (nr = 0; nr < 1000; nr++) {
		if (asprintf(&out->temporary, "%.*s%.*s.part-%ld.%u",
			     (int)folder, out->path, LONGEST,
			     out->path + folder, (long)getpid(), nr) < 0)
			break;
		fd = open(out->temporary,
			  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		free(out->temporary);
		if (errno != EEXIST)
			break;
	}
	out->temporary = NULL;
	return -1;
}

static FILE *create(struct outfile *out, const char *path)
{
	struct stat st;
	FILE *file;
	int fd;

	if (!strcmp(path, "-"))
		return stdout;
	st.st_mode = S_IFREG; /* unless there is something else */
	if (stat(path, &st) && errno != ENOENT)
		return NULL;
	if (!S_ISREG(st.st_mode))
		return fopen(path, "we");
	/* Through a symbolic link to the file that it names. */
	out->path = realpath(path, NULL);
	if (!out->path)
		out->path = strdup(path);
	fd = out->path ? create_temporary(out) : -1;
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

/* The temporary file goes, if it is still there. errno stays. */
static void discard(struct outfile *out)
{
	int error = errno;

	if (out->temporary)
		unlink(out->temporary);
	free(out->temporary);
	free(out->path);
	*out = (struct outfile){ 0 };
	errno = error;
}

int outfile_open(struct outfile *out, const char *path)
{
	*out = (struct outfile){ 0 };
	out->file = create(out, path);
	if (out->file)
		return 0;
	discard(out);
	return -1;
}

/*
 * Why something could not be written before: stdio forgot it, and the data. Where the
 * file goes anyway, one more byte tells.
 */
static int error_before(const struct outfile *out)
{
	return out->temporary && write(fileno(out->file), "", 1) < 0 ? errno :
								       EIO;
}

int outfile_close(struct outfile *out, bool keep)
{
	int error = 0;

	if (fflush(out->file))
		error = errno;
	else if (ferror(out->file))
		error = error_before(out);
	if (out->file != stdout && fclose(out->file) && !error)
		error = errno;
	if (!error && keep && out->temporary) {
		if (rename(out->temporary, out->path)) {
			error = errno;
		} else {
			free(out->temporary);
			out->temporary = NULL;
		}
	}
	discard(out);
	errno = error;
	return error ? -1 : 0;
}
