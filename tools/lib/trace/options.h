/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that all commands have that write traces from recordings. */
#ifndef TRACE_OPTIONS_H
#define TRACE_OPTIONS_H

#include "base/opts.h"
#include "trace/trace.h"

enum {
	TRACE_OPT_OUTPUT = 'o',
	TRACE_OPT_VERBOSE = 'v',
	TRACE_OPT_GENERATOR = 0x1100,
	TRACE_OPT_STITCH,
	TRACE_OPT_PRIMARY_CPU,
	TRACE_OPT_SPLIT,
	TRACE_OPT_WINDOWS,
};

/* Entries for a table of options. */
#define TRACE_OPTS                                                             \
	{ TRACE_OPT_OUTPUT, "output", "TRACE",                                 \
	  "write the trace to TRACE (.zstf: compressed), or - for standard output" }, \
	{ TRACE_OPT_GENERATOR, "generator", "ID",                              \
	  "set the number of the generator in the header (default: 1)" },      \
	{ TRACE_OPT_STITCH, "stitch", "WHEN",                                  \
	  "join samples that overlap: auto (default), always, never" },        \
	{ TRACE_OPT_PRIMARY_CPU, "primary-cpu", "N",                           \
	  "make a trace of CPU N, with the other CPUs as bus masters" },       \
	{ TRACE_OPT_SPLIT, "split", "BY",                                      \
	  "write a trace for each cpu or thread: TRACE.cpu0.zstf, ..." },      \
	{ TRACE_OPT_WINDOWS, "windows-file", "FILE",                           \
	  "write the table of windows to FILE (default: TRACE.windows)" },       \
	{ TRACE_OPT_VERBOSE, "verbose", NULL, "print each break of a path" }

/*
 * Take one of these options. After --verbose, opts->arg must be the struct samples when the
 * trace is opened. Returns 0, or ERROR_USAGE with a text.
 */
int trace_option(struct trace_opts *opts, int id, const char *arg,
		 struct error *error);

/* Check whether the options fit together. Returns like trace_option(). */
int trace_check_opts(const struct trace_opts *opts, struct error *error);

#endif
