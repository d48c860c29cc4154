/* SPDX-License-Identifier: GPL-2.0-only */
/* Breaks of paths, one by one, as --verbose prints them. */
#ifndef TRACE_BREAKS_H
#define TRACE_BREAKS_H

#include "trace/trace.h"

/* For on_break of struct trace_opts, with the struct samples in arg: a line to stderr. */
void trace_tell_break(void *arg, const struct pd_event *ev, const struct path_run *run);

#endif
