/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `ssctr cut` shares with other subcommands: what a PLACE is, the filters, and the
 * comment that says how a trace was made of others.
 */
#ifndef SSCTR_CUT_H
#define SSCTR_CUT_H

#include "ssctr.h"
#include "origin/names.h"
#include "tracecut/tracecut.h"

/*
 * names may be NULL. Returns CMD_USAGE if arg is no place, CMD_FAIL if names do not have its
 * symbol, or CMD_OK. An error was reported.
 */
int cut_place(const struct cmd *cmd, const char *option, const char *arg,
	      struct names *names, struct stf_place *place);

/*
 * Take a window from FILE:N, the number of a window in a file of windows, with its warm-up
 * and the filters of this file, which is not to be the output. Returns CMD_*; an error was
 * reported.
 */
int cut_window(const struct cmd *cmd, const char *arg, const char *output,
	       struct stf_select_opts *windows);

enum { CUT_MAX_RANGES = 64 };

/*
 * Add START-END[,START-END]... to the ranges, of which there are at most CUT_MAX_RANGES.
 * False, and reported as a usage error, for a bad argument.
 */
bool cut_ranges(const struct cmd *cmd, const char *arg, struct stf_pc_range *ranges,
		size_t *nr);

/* The options that select instructions of a hart, a process, a thread or user mode. */
enum {
	CUT_OPT_USER = 0x1200,
	CUT_OPT_HART,
	CUT_OPT_PID,
	CUT_OPT_TID,
};

#define CUT_FILTER_OPTIONS(_take)                                              \
	{ CUT_OPT_USER, "user", NULL, _take " only instructions in user mode" }, \
	{ CUT_OPT_HART, "hart", "N", _take " only instructions of this hart" }, \
	{ CUT_OPT_PID, "pid", "N", _take " only instructions of this process" }, \
	{ CUT_OPT_TID, "tid", "N", _take " only instructions of this thread" }

/* Is it one of these? */
bool cut_filter_has(int id);

/* Take one of these. False, and reported as a usage error, for a bad argument. */
bool cut_filter_option(struct stf_select_opts *windows, const struct cmd_opts *opts,
		       int id);

/* Returns whether only user mode was selected. */
bool cut_is_user(const struct stf_select_opts *windows);

/* Returns NULL if there is not enough memory, which was reported. The caller frees it. */
struct stf_select *cut_select(const struct cmd *cmd,
			      const struct stf_select_opts *windows);

/* The options of a call as one line. What is too long for it ends in "...". */
struct cut_words {
	size_t len;
	char text[1024];
};

#define CUT_WORDS_INIT	{ 0 }

/* The names of the files, which the comment does not repeat, are left out. */
void cut_words_add(struct cut_words *words, const struct opt *options, int id,
		   const char *arg);

/*
 * The line, with the names of the traces but not their folders. otherwise stands there if
 * there are no options. The line belongs to words.
 */
const char *cut_words_end(struct cut_words *words, const char *command,
			  const char *const *paths, size_t nr, const char *otherwise);

#endif
