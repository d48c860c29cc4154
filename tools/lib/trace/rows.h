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
	char *path; /* of the file; NULL: none is written */
	struct outfile out;
};

/* start is the instructions of the trace before it. Returns false if out of memory. */
bool rows_add(struct rows *rows, uint64_t start, const struct gathered *window);

/*
 * Set the path of the file. NULL means the one beside the trace: TRACE.zstf has
 * TRACE.windows, and standard output has none. The file must be neither the trace nor the
 * input. Returns 0, or ERROR_* with a text.
 */
int rows_name(struct rows *rows, const char *path, const char *trace,
	      const char *input, struct error *error);

/*
 * Write the windows of this trace into the file, which does not have its name before
 * rows_close(). *rows must stay where it is until then. Returns 0 or ERROR_OUTPUT with a
 * text.
 */
int rows_write(struct rows *rows, const char *trace, const struct windows *windows,
	       const struct gather_stats *stats, struct error *error);

/*
 * Give the file its name, or remove it if keep is false. There may be none. Returns like
 * rows_write().
 */
int rows_close(struct rows *rows, bool keep, struct error *error);

void rows_free(struct rows *rows);

#endif
