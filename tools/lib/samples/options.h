/* SPDX-License-Identifier: GPL-2.0-only */
/* The same options by words, for all that read recordings. */
#ifndef SAMPLES_OPTIONS_H
#define SAMPLES_OPTIONS_H

#include "base/opts.h"
#include "samples/samples.h"

enum {
	SAMPLES_OPT_SYMFS = 0x1000,
	SAMPLES_OPT_KCORE,
	SAMPLES_OPT_VMLINUX,
	SAMPLES_OPT_BUILD_ID_DIR,
	SAMPLES_OPT_PID,
	SAMPLES_OPT_TID,
	SAMPLES_OPT_CPU,
	SAMPLES_OPT_TIME,
};

/* Entries of a table of options. */
/* clang-format off */
#define SAMPLES_OPTS                                                           \
	{ SAMPLES_OPT_SYMFS, "symfs", "DIR",                                   \
	  "root folder of the machine that recorded" },                        \
	{ SAMPLES_OPT_KCORE, "kcore", "FILE",                                  \
	  "a copy of its /proc/kcore, for the kernel's code" },                \
	{ SAMPLES_OPT_VMLINUX, "vmlinux", "FILE",                              \
	  "the kernel's file, where there is no kcore; leaves gaps" },         \
	{ SAMPLES_OPT_BUILD_ID_DIR, "buildid-dir", "DIR",                      \
	  "perf's cache of files by build id (default: ~/.debug)" },           \
	{ SAMPLES_OPT_PID, "pid", "LIST", "only these processes: 1,4-7" },     \
	{ SAMPLES_OPT_TID, "tid", "LIST", "only these threads" },              \
	{ SAMPLES_OPT_CPU, "cpu", "LIST", "only these harts" },                \
	{ SAMPLES_OPT_TIME, "time", "A,B",                                     \
	  "only from A to B, in seconds as perf script prints them" }
/* clang-format on */

/* Is it one of these? */
static inline bool samples_has_option(int id)
{
	return id >= SAMPLES_OPT_SYMFS && id <= SAMPLES_OPT_TIME;
}

/*
 * Take one of these, whose argument is kept. Returns 0, ERROR_NOMEM, or ERROR_USAGE,
 * each with a text.
 */
int samples_option(struct samples_opts *opts, int id, const char *arg,
		   struct error *error);

/* What the options hold themselves. */
void samples_opts_free(struct samples_opts *opts);

#endif
