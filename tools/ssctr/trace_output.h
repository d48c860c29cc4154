/* SPDX-License-Identifier: GPL-2.0-only */
/* The STF trace that a subcommand writes, by options: its name, and how it is stored. */
#ifndef SSCTR_TRACE_OUTPUT_H
#define SSCTR_TRACE_OUTPUT_H

#include "ssctr.h"
#include "stf/stf.h"

struct trace_output {
	const char *path; /* NULL: not given */
	const char *isa; /* the ISA string in the header; NULL: not given */
	const char *comment; /* one more in the header; NULL: not given */
	struct stf_writer_opts opts;
};

#define TRACE_OUTPUT_INIT	{ .opts.size = sizeof(struct stf_writer_opts) }

enum {
	TRACE_OPT_LEVEL = 0x1100,
	TRACE_OPT_CHUNK,
	TRACE_OPT_ISA,
	TRACE_OPT_COMMENT,
};

#define TRACE_OUTPUT_OPTION                                                    \
	{ 'o', "output", "TRACE",                                              \
	  "write this trace; the name selects .zstf, .stf.gz, .stf.xz or plain STF; -: standard output" }
#define TRACE_HEADER_OPTIONS                                                   \
	{ TRACE_OPT_ISA, "isa", "STRING",                                      \
	  "write this ISA string into the header" },                           \
	{ TRACE_OPT_COMMENT, "comment", "TEXT",                                \
	  "write this comment into the header, too" }
#define TRACE_CONTAINER_OPTIONS                                                \
	{ TRACE_OPT_LEVEL, "level", "N",                                       \
	  "compress a .zstf with level N of zstd, 1 to 19 (3)" },              \
	{ TRACE_OPT_CHUNK, "chunk", "N",                                       \
	  "put N instructions into a chunk of a .zstf (100000)" }

/* Is it one of these? */
bool trace_output_has(int id);

/* Take one of these. False, and reported as a usage error, for a bad argument. */
bool trace_output_option(struct trace_output *output, const struct cmd_opts *opts,
			 int id);

/*
 * A number of instructions, of which 0 makes no sense. False, and reported as a usage
 * error, for anything else.
 */
bool trace_count(const struct cmd_opts *opts, uint64_t *count);

#endif
