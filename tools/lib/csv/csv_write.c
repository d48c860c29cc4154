// SPDX-License-Identifier: GPL-2.0-only
#include "csv/csv.h"
#include "base/outfile.h"

#include <errno.h>
#include <stdlib.h>

static const char header[] =
	"VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n";

struct csv_writer {
	struct outfile out;
	uint64_t mask;
	int error; /* the first errno, 0: none */
};

struct csv_writer *csv_writer_open(const char *path, unsigned int bits)
{
	struct csv_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
	if (outfile_open(&w->out, path)) {
		free(w);
		return NULL;
	}
	if (fputs(header, w->out.file) == EOF)
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
	if (!fwrite_unlocked(line, p - line, 1, w->out.file) && !w->error)
		w->error = errno;
}

int csv_writer_close(struct csv_writer *w, bool keep)
{
	int error = w->error;

	if (outfile_close(&w->out, keep && !error) && !error)
		error = errno;
	free(w);
	errno = error;
	return error ? -1 : 0;
}
