/* SPDX-License-Identifier: GPL-2.0-only */
/* The same options by words, for all that write traces of recordings. */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include "base/opts.h"
#include "trace/trace.h"

enum {
	TRACE_OPT_OUTPUT = 'o',
	TRACE_OPT_GENERATOR = 0x1100,
	TRACE_OPT_STITCH,
	TRACE_OPT_PRIMARY_CPU,
	TRACE_OPT_SPLIT,
};

/* Entries of a table of options. */
#define TRACE_OPTS                                                             \
	{ TRACE_OPT_OUTPUT, "output", "TRACE",                                 \
	  "the trace to write: .zstf compressed, else plain" },                \
	{ TRACE_OPT_GENERATOR, "generator", "ID",                              \
	  "the generator's number in the header (default: 1)" },               \
	{ TRACE_OPT_STITCH, "stitch", "WHEN",                                  \
	  "join samples that overlap: auto, always, never" },                  \
	{ TRACE_OPT_PRIMARY_CPU, "primary-cpu", "N",                           \
	  "the hart that the trace is of; others are bus masters" },           \
	{ TRACE_OPT_SPLIT, "split", "BY",                                      \
	  "a trace for each: cpu, thread; TRACE.cpu0.zstf, ..." }

/* Take one of these. Returns 0, or ERROR_USAGE with a text. */
int trace_option(struct trace_opts *opts, int id, const char *arg,
		 struct error *error);

/* Do they make sense together? Returns as trace_option(). */
int trace_check_opts(const struct trace_opts *opts, struct error *error);

#endif
