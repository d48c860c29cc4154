/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions that a subcommand names in a trace: of an ELF file that the user gives, or
 * of the files that the trace says were mapped. Options say where these files are.
 */
#ifndef SSCTR_TRACE_NAMES_H
#define SSCTR_TRACE_NAMES_H

#include "origin/names.h"
#include "samples/options.h"
#include "ssctr.h"

struct trace_names {
	const char *symbols; /* the argument of --symbols; NULL: not given */
	bool mangled; /* C++ and Rust functions have their symbols' names */
	struct samples_opts where;
};

#define TRACE_NAMES_INIT	{ .where = SAMPLES_OPTS_INIT }

enum { TRACE_NAMES_OPT_SYMBOLS = 0x1900, TRACE_NAMES_OPT_NO_DEMANGLE };

/* Entries for a table of options. */
/* clang-format off */
#define TRACE_NAMES_OPTIONS(_what)                                             \
	{ TRACE_NAMES_OPT_SYMBOLS, "symbols", "ELF[@ADDRESS]", _what },  \
	{ SAMPLES_OPT_SYMFS, "symfs", "DIR",                                   \
	  "look up the files of the trace below DIR, which has the files of the machine that recorded" }, \
	{ SAMPLES_OPT_CODE, "code", "PLACE",                                   \
	  "look for these files in PLACE, too: a file, a folder or a cache such as ~/.debug; repeatable" }, \
	{ SAMPLES_OPT_VMLINUX, "vmlinux", "FILE",                              \
	  "read the names of the kernel's functions from FILE, the kernel's file" }, \
	{ SAMPLES_OPT_KALLSYMS, "kallsyms", "FILE",                            \
	  "read the names of the kernel's functions from FILE, a copy of /proc/kallsyms" }, \
	{ TRACE_NAMES_OPT_NO_DEMANGLE, "no-demangle", NULL,                    \
	  "show the symbols of C++ and Rust functions, and not their names in the source" }
/* clang-format on */

bool trace_names_has_option(int id);

/* Take one of these. Returns CMD_OK, or CMD_*, which was reported. */
int trace_names_option(struct trace_names *names, const struct cmd_opts *opts, int id);

/*
 * Open what --symbols asks for, or the files of the trace if it was not given. Returns
 * NULL, and reports it, if the names cannot be used.
 */
struct names *trace_names_open(const struct trace_names *names, const struct cmd *cmd);

/*
 * Call this after the header. Returns false, and reports it, if the user asks for the
 * names of the trace, and the trace does not tell what was mapped.
 */
bool trace_names_check(const struct trace_names *names, const struct names *from,
		       const struct cmd *cmd, const char *path);

/*
 * Report the files whose functions have no names: without --symfs, by their number and the
 * reason of the first one.
 */
void trace_names_report(const struct trace_names *names, const struct names *from,
			const struct cmd *cmd);

void trace_names_free(struct trace_names *names);

#endif
