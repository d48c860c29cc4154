/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The windows of a trace, in a file beside the trace: see windows/file.h. Their starts are
 * those in the trace.
 */
#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "base/error.h"
#include "base/outfile.h"
#include "trace/gather.h"
#include "windows/plan.h"

/* Set all members to 0 first. */
struct rows {
	struct windows_interval *v;
	struct windows_recorded *recorded; /* one for each of v */
	size_t nr, cap, cap_recorded;
	struct outfile out;
	const char *path; /* of out; NULL: nothing is open */
};

/* start is the instructions of the trace before it. Returns false if out of memory. */
bool rows_add(struct rows *rows, uint64_t start, const struct gathered *window);

/*
 * Returns the name of the file beside a trace: TRACE.zstf becomes TRACE.windows. The caller
 * frees it. Returns NULL if out of memory.
 */
char *rows_path(const char *trace);

/*
 * Write the windows of this trace into the file `path`, which does not have its name before
 * rows_close(). path must exist until then, and *rows must stay where it is. Returns 0 or
 * ERROR_OUTPUT with a text.
 */
int rows_write(struct rows *rows, const char *path, const char *trace,
	       const struct windows *windows, const struct gather_stats *stats,
	       struct error *error);

/*
 * Give the file its name, or remove it if keep is false. There may be none. Returns like
 * rows_write().
 */
int rows_close(struct rows *rows, bool keep, struct error *error);

void rows_free(struct rows *rows);

#endif
