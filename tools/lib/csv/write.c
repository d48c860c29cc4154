// SPDX-License-Identifier: GPL-2.0-only
#include "base/outfile.h"
#include "csv/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct csv_writer {
	struct outfile out;
	const char *path;
	struct error *error;
	enum csv_kind kind;
	bool begun;
};

struct csv_writer *csv_create(const char *path, enum csv_kind kind,
			      struct error *error)
{
	struct csv_writer *w = calloc(1, sizeof(*w));

	if (!w || outfile_open(&w->out, path)) {
		error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
		free(w);
		return NULL;
	}
	w->path = path;
	w->error = error;
	w->kind = kind;
	return w;
}

/* Standard output gets nothing from a trace that is of no use from its beginning. */
static void begin(struct csv_writer *w)
{
	if (!w->begun)
		fprintf(w->out.file, "%s\n", csv_headers[w->kind]);
	w->begun = true;
}

/* Many million lines: printf() would take most of the time. */
static char *put(char *to, uint64_t v)
{
	unsigned int digits = v ? (67 - __builtin_clzll(v)) / 4 : 1, i;

	for (i = digits; i-- > 0; v >>= 4)
		to[i] = "0123456789abcdef"[v & 15];
	to[digits] = ',';
	return to + digits + 1;
}

void csv_write_insn(struct csv_writer *w, const struct csv_insn *insn)
{
	char line[96], *p = line;

	begin(w);
	p = put(p, 1);
	p = put(p, insn->address);
	p = put(p, insn->insn);
	p = put(p, insn->privilege);
	p = put(p, insn->exception);
	p = put(p, insn->ecause);
	p = put(p, insn->tval);
	p = put(p, insn->interrupt);
	p[-1] = '\n';
	fwrite_unlocked(line, p - line, 1, w->out.file);
}

void csv_write_data(struct csv_writer *w, const struct csv_data *data)
{
	const bool pair = csv_is_pair(data->type);
	const uint64_t one = data->type == CSV_LOAD ? data->read : data->written;
	FILE *f = w->out.file;

	begin(w);
	fprintf(f, "1,%u,%" PRIx64 ",%u,", data->type, data->address,
		__builtin_ctz(data->size) + pair);
	if (pair && data->written)
		fprintf(f, "%" PRIx64 "%0*" PRIx64 "\n", data->written,
			2 * data->size, data->read);
	else
		fprintf(f, "%" PRIx64 "\n", pair ? data->read : one);
}

int csv_finish(struct csv_writer *w, int status)
{
	if (!w)
		return status;
	if (!status)
		begin(w);
	if (outfile_close(&w->out, !status) && !status)
		status = error_set(w->error, ERROR_OUTPUT, "%s: %s", w->path,
				   strerror(errno));
	free(w);
	return status;
}
