/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the kernel does not open an event, and what helps. */
#ifndef RECORDER_REFUSED_H
#define RECORDER_REFUSED_H

#include "recorder/plan.h"

/* code is the errno for an event, or, with e NULL, for the rings. ERROR_INPUT. */
int rcd_refused(const struct rcd_opts *opts, const struct rcd_event *e,
		int code, struct error *error);

/* An event that is not allowed where kernel.perf_event_paranoid has this level. */
int rcd_not_allowed(const struct rcd_opts *opts, const struct rcd_event *e,
		    int level, struct error *error);

#endif
