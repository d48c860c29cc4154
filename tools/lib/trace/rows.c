// SPDX-License-Identifier: GPL-2.0-only
#include "trace/rows.h"
#include "base/array.h"
#include "base/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool rows_add(struct rows *rows, uint64_t start, const struct gathered *window)
{
	if (!array_room(&rows->v, rows->nr, &rows->cap, sizeof(*rows->v)))
		return false;
	rows->v[rows->nr++] = (struct row){
		.start = start,
		.length = window->length,
		.weight = window->weight,
		.place = window->place,
		.pid = window->pid,
		.tid = window->tid,
		.cpu = window->cpu,
	};
	return true;
}

char *rows_path(const char *trace)
{
	static const char *const endings[] = { ".zstf", ".stf.gz", ".stf.xz", ".stf" };
	size_t size = strlen(trace), n;
	unsigned int i;
	char *path;

	for (i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		n = strlen(endings[i]);
		if (n < size && !strcmp(trace + size - n, endings[i])) {
			size -= n;
			break;
		}
	}
	return asprintf(&path, "%.*s.windows", (int)size, trace) < 0 ? NULL : path;
}

static void print(const struct rows *rows, const struct windows *windows,
		  const struct gather_stats *stats, FILE *file)
{
	size_t i;

	fprintf(file,
		"# ssctr windows 1\n"
		"# size %" PRIu64 " every %" PRIu64 " complete %" PRIu64 " left-out %" PRIu64
		" instructions %" PRIu64 "\n"
		"# number start length weight share place pid tid cpu\n",
		windows->size, windows->every, stats->complete, stats->incomplete,
		stats->insns);
	for (i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->v[i];
		const double share = stats->insns ? (double)row->weight / stats->insns : 0;

		fprintf(file,
			"%zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %.9f %" PRIu64 " %" PRIu32
			" %" PRIu32 " %" PRId32 "\n",
			i, row->start, row->length, row->weight, share, row->place, row->pid,
			row->tid, (int32_t)row->cpu);
	}
}

int rows_write(const struct rows *rows, const char *path, const struct windows *windows,
	       const struct gather_stats *stats, struct error *error)
{
	struct outfile out;

	if (outfile_open(&out, path))
		return error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	print(rows, windows, stats, out.file);
	if (outfile_close(&out, true))
		return error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
	return 0;
}

void rows_free(struct rows *rows)
{
	free(rows->v);
}
