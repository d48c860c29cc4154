/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's tracepoints, as tracefs describes them. */
#ifndef RECORDER_TRACEFS_H
#define RECORDER_TRACEFS_H

#include "base/error.h"

#include <stdbool.h>

struct pdw;
struct rcd_events;

/*
 * Returns whether the kernel hides, also from root, a file that each recording with
 * tracepoints needs. It does so with lockdown=confidentiality.
 */
bool rcd_tracepoints_hidden(void);

#define RCD_TRACEPOINTS_HIDDEN                                                 \
	"the kernel hides tracepoints, because it is locked down (lockdown=confidentiality)"

/*
 * Add the tracepoints of a system whose names match the pattern, which can contain * and
 * ?. Returns 0, or ERROR_USAGE or ERROR_NOMEM with a text.
 */
int rcd_add_tracepoints(struct rcd_events *events, const char *system,
			const char *pattern, struct error *error);

/*
 * Add the formats of the tracepoints to a recording, if it has tracepoints. Returns 0, or
 * ERROR_* with a text.
 */
int rcd_add_tracing_data(struct pdw *w, const struct rcd_events *events,
			 struct error *error);

#endif
