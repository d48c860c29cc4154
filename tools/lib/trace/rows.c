// SPDX-License-Identifier: GPL-2.0-only
#include "trace/rows.h"
#include "base/array.h"
#include "base/keeps.h"
#include "tracefile/tracefile.h"
#include "windows/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool rows_add(struct rows *rows, uint64_t start, const struct gathered *window)
{
	if (!array_room(&rows->v, rows->nr, &rows->cap, sizeof(*rows->v)) ||
	    !array_room(&rows->recorded, rows->nr, &rows->cap_recorded,
			sizeof(*rows->recorded)))
		return false;
	rows->recorded[rows->nr] = (struct windows_recorded){
		.weight = window->weight,
		.place = window->place,
		.source = window->source,
		.pid = window->pid,
		.tid = window->tid,
		.cpu = window->cpu,
	};
	rows->v[rows->nr++] = (struct windows_interval){
		.start = start, .length = window->length, .chosen = true };
	return true;
}

/* NULL: out of memory. */
static char *path_beside(const char *trace)
{
	char *path;

	return asprintf(&path, "%.*s.windows", (int)tracefile_stem(trace), trace) < 0 ?
		       NULL : path;
}

int rows_name(struct rows *rows, const char *path, const char *trace,
	      const char *input, struct error *error)
{
	if (!path && !strcmp(trace, "-"))
		return 0;
	rows->path = path ? strdup(path) : path_beside(trace);
	if (!rows->path)
		return error_nomem(error);
	if (outfile_is_same(rows->path, trace))
		return error_set(error, ERROR_OUTPUT,
				 "%s and %s are one file; name another one with --windows-file",
				 trace, rows->path);
	return keeps_input("--windows-file", rows->path, input, error);
}

static int fail(struct error *error, const char *path)
{
	return error_set(error, ERROR_OUTPUT, "%s: %s", path, strerror(errno));
}

int rows_write(struct rows *rows, const char *trace, const struct windows *windows,
	       const struct gather_stats *stats, struct error *error)
{
	struct windows_plan plan = {
		.source = trace, .unit = "instructions", .filter = "",
		.size = windows->size, .seed = windows->seed,
		.choice = windows->places == WINDOWS_RANDOM ? WINDOWS_CHOICE_RANDOM :
							      WINDOWS_CHOICE_SYSTEMATIC,
		.v = rows->v, .recorded = rows->recorded, .nr = rows->nr, .nr_strata = 1,
		.every = windows->every, .left_out = stats->incomplete, .repeated = -1,
	};

	if (!rows->path)
		return 0;
	windows_add_up(&plan);
	if (stats->bare_insns)
		plan.coverage = (double)stats->insns /
				((double)stats->insns + (double)stats->bare_insns);
	if (outfile_open(&rows->out, rows->path))
		return fail(error, rows->path);
	windows_file_write(&plan, rows->out.file);
	errno = outfile_flush(rows->out.file);
	return errno ? fail(error, rows->path) : 0;
}

int rows_close(struct rows *rows, bool keep, struct error *error)
{
	return rows->out.file && outfile_close(&rows->out, keep) ? fail(error, rows->path) : 0;
}

void rows_free(struct rows *rows)
{
	struct error error;

	rows_close(rows, false, &error);
	free(rows->path);
	free(rows->v);
	free(rows->recorded);
}
