/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The STF trace that a subcommand reads: which one, and by options what a trace does
 * not say of its own layout, since its specifications and the reference library differ
 * (libstf(3)).
 */
#ifndef SSCTR_TRACE_INPUT_H
#define SSCTR_TRACE_INPUT_H

#include "ssctr.h"
#include "stf/stf.h"

struct trace_input {
	const char *path; /* NULL: not given by an option */
	struct stf_reader_opts opts;
	/* behind the error about a file that is neither a trace nor a recording; NULL: nothing */
	const char *otherwise;
};

#define TRACE_INPUT_INIT	{ .opts.size = sizeof(struct stf_reader_opts) }

enum {
	TRACE_OPT_SPEC_INITIATORS = 0x1a00,
	TRACE_OPT_EVENT_BITS,
};

/* The first of a table of options, and its last ones. */
#define TRACE_INPUT_OPTION                                                     \
	{ 'i', "input", "TRACE", "read this trace, or - for standard input" }
#define TRACE_LAYOUT_OPTIONS                                                   \
	{ TRACE_OPT_SPEC_INITIATORS, "spec-initiators", NULL,                  \
	  "number bus initiators from CORE = 0, as the specification does" },  \
	{ TRACE_OPT_EVENT_BITS, "event-bits", "N",                             \
	  "read event ids of N bits, 32 or 64, whatever the features of the trace say" }

/* Take one of these. False, and reported as a usage error, for a bad argument. */
bool trace_input_option(struct trace_input *input, const struct cmd_opts *opts,
			int id);

/* Behind the options. False, and reported as a usage error, if it is not one trace. */
bool trace_input_operand(struct trace_input *input, const struct cmd_opts *opts);

/* NULL, and reported, if it cannot be opened. */
struct stf_reader *trace_input_open(const struct trace_input *input,
				    const struct cmd *cmd);

/*
 * Returns whether the end of a trace is missing because its writer was killed. The reader
 * then reads what is whole. trace_input_warn() prints a line about it, as
 * trace_input_open() does. trace_input_tell_unfinished() is this line.
 */
bool trace_input_unfinished(const struct stf_reader *reader);
void trace_input_tell_unfinished(const char *path, const struct cmd *cmd);
void trace_input_warn(const char *path, const struct stf_reader *reader,
		      const struct cmd *cmd);

/* For the error of those who read something else: whether it is a trace, or "". */
const char *trace_input_hint(const char *path);

#endif
