// SPDX-License-Identifier: GPL-2.0-only
#include "csv/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] =
	"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n";

struct csv_writer {
	FILE *file;
	char *path; /* what the temporary name becomes; NULL: written directly */
	char *temporary;
	uint64_t mask;
	int error; /* the first errno, 0: none */
};

static FILE *create(struct csv_writer *w, const char *path)
{
	struct stat st;
	mode_t mode;
	int fd;

	if (!strcmp(path, "-"))
		return stdout;
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return fopen(path, "we");
	w->path = strdup(path);
	if (!w->path || asprintf(&w->temporary, "%s.XXXXXX", path) < 0) {
		w->temporary = NULL;
		return NULL;
	}
	fd = mkostemp(w->temporary, O_CLOEXEC);
	if (fd < 0) {
		free(w->temporary);
		w->temporary = NULL;
		return NULL;
	}
	mode = umask(0);
	umask(mode);
	fchmod(fd, 0666 & ~mode);
	return fdopen(fd, "w");
}

static void discard(struct csv_writer *w)
{
	if (w->temporary)
		unlink(w->temporary);
	free(w->temporary);
	free(w->path);
	free(w);
}

struct csv_writer *csv_writer_open(const char *path, unsigned int bits)
{
	struct csv_writer *w = calloc(1, sizeof(*w));
	int error;

	if (!w)
		return NULL;
	w->mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
	w->file = create(w, path);
	if (!w->file) {
		error = errno;
		discard(w);
		errno = error;
		return NULL;
	}
	if (fputs(header, w->file) == EOF)
		w->error = errno;
	return w;
}

static char *put(char *to, uint64_t v)
{
	unsigned int digits = v ? (67 - __builtin_clzll(v)) / 4 : 1, i;

	for (i = digits; i-- > 0; v >>= 4)
		to[i] = "0123456789abcdef"[v & 15];
	to[digits] = ',';
	return to + digits + 1;
}

void csv_write(struct csv_writer *w, const struct csv_row *row)
{
	char line[96], *p = line;

	p = put(p, 1);
	p = put(p, row->address & w->mask);
	p = put(p, row->insn);
	p = put(p, row->privilege);
	p = put(p, row->exception);
	p = put(p, row->ecause & w->mask);
	p = put(p, row->tval & w->mask);
	p = put(p, row->interrupt);
	p[-1] = '\n';
	if (!fwrite_unlocked(line, p - line, 1, w->file) && !w->error)
		w->error = errno;
}

int csv_writer_close(struct csv_writer *w, bool keep)
{
	int error = w->error;

	if (fflush(w->file) && !error)
		error = errno;
	if (w->file != stdout && fclose(w->file) && !error)
		error = errno;
	if (!error && keep && w->temporary) {
		if (rename(w->temporary, w->path)) {
			error = errno;
		} else {
			free(w->temporary);
			w->temporary = NULL;
		}
	}
	discard(w);
	errno = error;
	return error ? -1 : 0;
}
