/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that all commands have that make profiles from recordings. */
#ifndef PROFILE_OPTIONS_H
#define PROFILE_OPTIONS_H

#include "base/opts.h"
#include "profile/gcov.h"
#include "profile/job.h"

enum {
	PROF_OPT_BINARY = 'b',
	PROF_OPT_FORMAT = 'f',
	PROF_OPT_OUTPUT = 'o',
	PROF_OPT_MERGE = 0x1200,
	PROF_OPT_GCOV_VERSION,
	PROF_OPT_RAW,
	PROF_OPT_ALL,
};

/* Entries for a table of options. */
#define PROF_OPTS                                                              \
	{ PROF_OPT_BINARY, "binary", "FILE",                                   \
	  "the program, library, vmlinux or module to profile; repeat it for more" },\
	{ PROF_OPT_ALL, "all", NULL,                                           \
	  "a profile of each binary that ran, in the folder of -o" },          \
	{ PROF_OPT_FORMAT, "format", "LIST",                                   \
	  "llvm (default), llvm-ext, gcov, bolt, profgen" },                   \
	{ PROF_OPT_OUTPUT, "output", "FILE",                                   \
	  "the profile; of several formats FILE.FORMAT; of several binaries a folder; \"-\": stdout" }, \
	{ PROF_OPT_MERGE, "merge", "FILE",                                     \
	  "one more recording whose counts are added; repeat it for more" },   \
	{ PROF_OPT_GCOV_VERSION, "gcov-version", "N",                          \
	  "of gcov: 2 for GCC 12 to 15 (default), 3 for GCC 16" },             \
	{ PROF_OPT_RAW, "raw", NULL,                                           \
	  "count what the stacks hold, not weighed by how often it was there to be seen" }

/* A profile for clang. */
#define PROF_OPTS_INIT { .nr_formats = 1, .gcov_version = PROF_GCOV_2 }

/* Take one of these options. Returns 0, or ERROR_USAGE or ERROR_NOMEM with a text. */
int prof_option(struct prof_opts *opts, int id, const char *arg,
		struct error *error);

/* Check whether the options fit together. Returns like prof_option(). */
int prof_check_opts(const struct prof_opts *opts, struct error *error);

/* Free the memory that the options have allocated. */
void prof_opts_free(struct prof_opts *opts);

#endif
