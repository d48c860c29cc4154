// SPDX-License-Identifier: GPL-2.0-only
#include "outfile/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *create(struct outfile *out, const char *path)
{
	struct stat st;
	mode_t mode;
	FILE *file;
	int fd;

	if (!strcmp(path, "-"))
		return stdout;
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return fopen(path, "we");
	out->path = strdup(path);
	if (!out->path || asprintf(&out->temporary, "%s.XXXXXX", path) < 0) {
		out->temporary = NULL;
		return NULL;
	}
	fd = mkostemp(out->temporary, O_CLOEXEC);
	if (fd < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return NULL;
	}
	mode = umask(0);
	umask(mode);
	fchmod(fd, 0666 & ~mode);
	file = fdopen(fd, "w");
	if (!file)
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
