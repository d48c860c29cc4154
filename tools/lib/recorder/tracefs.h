/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's tracepoints, as tracefs has them. */
#ifndef RECORDER_TRACEFS_H
#define RECORDER_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

struct pdw;
struct rcd_events;

/*
 * Call found() for the tracepoints of a system whose name fits the pattern (* and
 * ?). Returns false with errno set if tracefs or the system cannot be read: EACCES
 * where only root may, ENOENT where there is none.
 */
bool rcd_tracepoints(const char *system, const char *pattern,
		     void (*found)(void *arg, const char *system,
				   const char *name, uint64_t id),
		     void *arg);

/*
 * Give a recording the formats of its tracepoints, if it has any. Returns 0, or -1
 * with errno set.
 */
int rcd_add_tracing_data(struct pdw *w, const struct rcd_events *events);

#endif
