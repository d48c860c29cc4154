/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that all commands have that read recordings. */
#ifndef SAMPLES_OPTIONS_H
#define SAMPLES_OPTIONS_H

#include "base/opts.h"
#include "samples/samples.h"

enum {
	SAMPLES_OPT_SYMFS = 0x1000,
	SAMPLES_OPT_KCORE,
	SAMPLES_OPT_VMLINUX,
	SAMPLES_OPT_KALLSYMS,
	SAMPLES_OPT_CODE,
	SAMPLES_OPT_PID,
	SAMPLES_OPT_TID,
	SAMPLES_OPT_COMM,
	SAMPLES_OPT_DSO,
	SAMPLES_OPT_SYMBOL,
	SAMPLES_OPT_CPU,
	SAMPLES_OPT_TIME,
	SAMPLES_OPT_LEAST,
	SAMPLES_OPT_ALLOW_PARTIAL,
};

/* Entries for a table of options: those that tell where code is, and all. */
/* clang-format off */
#define SAMPLES_CODE_OPTS                                                      \
	{ SAMPLES_OPT_SYMFS, "symfs", "DIR",                                   \
	  "look up files below DIR, which has the files of the machine that recorded" }, \
	{ SAMPLES_OPT_KCORE, "kcore", "FILE",                                  \
	  "read the kernel's code from FILE, a copy of /proc/kcore" },         \
	{ SAMPLES_OPT_VMLINUX, "vmlinux", "FILE",                              \
	  "read the kernel's code from FILE if there is no kcore; what the kernel changes at run time is missing" }, \
	{ SAMPLES_OPT_KALLSYMS, "kallsyms", "FILE",                            \
	  "read the names of the kernel's functions from FILE, a copy of /proc/kallsyms" }, \
	{ SAMPLES_OPT_CODE, "code", "PLACE",                                   \
	  "look for programs in PLACE, too: a file, a folder or a cache such as ~/.debug; repeatable" }
#define SAMPLES_OPTS                                                           \
	SAMPLES_CODE_OPTS,                                                     \
	{ SAMPLES_OPT_PID, "pid", "LIST",                                      \
	  "use only samples of these processes: 1,4-7" },                      \
	{ SAMPLES_OPT_TID, "tid", "LIST",                                      \
	  "use only samples of these threads: 1,4-7" },                        \
	{ SAMPLES_OPT_COMM, "comm", "LIST",                                    \
	  "use only samples of threads with these names: a,b" },               \
	{ SAMPLES_OPT_DSO, "dso", "LIST",                                      \
	  "use only samples taken in these binaries: sort,libc.so.6,[kernel]" }, \
	{ SAMPLES_OPT_SYMBOL, "symbol", "LIST",                                \
	  "use only samples taken in these functions: main,work" },            \
	{ SAMPLES_OPT_CPU, "cpu", "LIST",                                      \
	  "use only samples of these CPUs: 0,2-3" },                           \
	{ SAMPLES_OPT_TIME, "time", "A,B",                                     \
	  "use only samples from time A to time B, in seconds as perf script prints them, or A%-B% of the recording's time" }, \
	{ SAMPLES_OPT_LEAST, "least", "PERCENT",                               \
	  "set the share of what ran that is enough, in percent (default: 90)" }

/* One more entry, for commands that make a file from a recording. */
#define SAMPLES_PARTIAL_OPT                                                    \
	{ SAMPLES_OPT_ALLOW_PARTIAL, "allow-partial", NULL,                    \
	  "write the output even if less can be used than --least says" }
/* clang-format on */

/* Returns whether id is one of these options. */
static inline bool samples_has_option(int id)
{
	return id >= SAMPLES_OPT_SYMFS && id <= SAMPLES_OPT_ALLOW_PARTIAL;
}

/*
 * Take one of these options. arg is kept and not copied. Returns 0, or ERROR_NOMEM or
 * ERROR_USAGE with a text.
 */
int samples_option(struct samples_opts *opts, int id, const char *arg,
		   struct error *error);

/* Free the memory that the options have allocated. */
void samples_opts_free(struct samples_opts *opts);

#endif
