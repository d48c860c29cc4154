/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the kernel does not open an event, and the remedy. */
#ifndef RECORDER_REFUSED_H
#define RECORDER_REFUSED_H

#include "doctor/access.h"
#include "recorder/plan.h"

/*
 * Set the text for an event, or for the rings if e is NULL. code is the errno. Returns
 * ERROR_INPUT.
 */
int rcd_refused(const struct rcd_opts *opts, const struct rcd_event *e,
		int code, struct error *error);

/*
 * Set the text for an event that is not allowed with this level of
 * kernel.perf_event_paranoid, to a user with these rights. Returns ERROR_INPUT.
 */
int rcd_not_allowed(const struct rcd_opts *opts, const struct rcd_event *e,
		    int level, enum doctor_rights rights, struct error *error);

#endif
