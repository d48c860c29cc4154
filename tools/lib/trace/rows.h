/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the windows of a trace, in a file beside the trace. */
#ifndef TRACE_ROWS_H
#define TRACE_ROWS_H

#include "base/error.h"
#include "trace/gather.h"

struct row {
	uint64_t start; /* instructions of the trace before the window */
	uint64_t length, weight, place; /* as of struct gathered */
	uint32_t pid, tid, cpu;
};

/* Set all members to 0 first. */
struct rows {
	struct row *v;
	size_t nr, cap;
};

/* Returns false if out of memory. */
bool rows_add(struct rows *rows, uint64_t start, const struct gathered *window);

/*
 * Returns the name of the file beside a trace: TRACE.zstf becomes TRACE.windows. The caller
 * frees it. Returns NULL if out of memory.
 */
char *rows_path(const char *trace);

/* Write the table as a file. Returns 0, or ERROR_OUTPUT with a text. */
int rows_write(const struct rows *rows, const char *path, const struct windows *windows,
	       const struct gather_stats *stats, struct error *error);

void rows_free(struct rows *rows);

#endif
