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
	PROF_OPT_STALE,
};

/* Entries for a table of options. */
#define PROF_OPTS                                                              \
	{ PROF_OPT_BINARY, "binary", "FILE",                                   \
	  "make a profile of this program, library, vmlinux or kernel module; repeatable" }, \
	{ PROF_OPT_ALL, "all", NULL,                                           \
	  "make a profile of each binary that ran, in the folder of -o" },     \
	{ PROF_OPT_FORMAT, "format", "LIST",                                   \
	  "write llvm (default), llvm-ext, gcov, bolt, profgen or go, or several of them" }, \
	{ PROF_OPT_OUTPUT, "output", "FILE",                                   \
	  "write the profile to FILE, or - for standard output (several formats: FILE.FORMAT; several binaries: a folder)" }, \
	{ PROF_OPT_MERGE, "merge", "FILE",                                     \
	  "add the counts of another recording or counts file; repeatable" },                 \
	{ PROF_OPT_GCOV_VERSION, "gcov-version", "N",                          \
	  "set the version of gcov: 2 for GCC 12 to 15 (default), 3 for GCC 16" }, \
	{ PROF_OPT_RAW, "raw", NULL,                                           \
	  "count each branch record once, without a weight" },                 \
	{ PROF_OPT_STALE, "stale", NULL,                                       \
	  "also use what was recorded of other builds, for the functions that are the same; --code names their files" }

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
