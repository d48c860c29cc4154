/* SPDX-License-Identifier: GPL-2.0-only */
/* The description of the machine and of the events in a recording. */
#ifndef RECORDER_HEADER_H
#define RECORDER_HEADER_H

#include "recorder/plan.h"

struct pdw;

/* Add it to the header. Call this before pdw_start(). Returns 0, or ERROR_* with a text. */
int rcd_add_header(struct pdw *w, const struct rcd_opts *opts,
		   const struct rcd_events *events, struct rcd_known *known,
		   struct error *error);

#endif
