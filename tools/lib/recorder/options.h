/* SPDX-License-Identifier: GPL-2.0-only */
/* The same options by words, for all that record. */
#ifndef RECORDER_OPTIONS_H
#define RECORDER_OPTIONS_H

#include "base/opts.h"
#include "recorder/plan.h"

enum {
	RCD_OPT_EVENT = 'e',
	RCD_OPT_COUNT = 'c',
	RCD_OPT_FREQ = 'F',
	RCD_OPT_FILTER = 'j',
	RCD_OPT_PID = 'p',
	RCD_OPT_TID = 't',
	RCD_OPT_ALL = 'a',
	RCD_OPT_CPU = 'C',
	RCD_OPT_NO_INHERIT = 'i',
	RCD_OPT_PAGES = 'm',
	RCD_OPT_DEPTH = 0x1200,
	RCD_OPT_WINDOWS,
	RCD_OPT_PLACES,
	RCD_OPT_SEED,
};

/* Entries for a table of options. */
/* clang-format off */
#define RCD_OPTS                                                               \
	{ RCD_OPT_EVENT, "event", "LIST",                                      \
	  "sample these events (default: cycles)" },                           \
	{ RCD_OPT_COUNT, "count", "N", "take a sample every N events" },       \
	{ RCD_OPT_FREQ, "freq", "N",                                           \
	  "take N samples a second (default: 4000), or max" },                 \
	{ RCD_OPT_FILTER, "branch-filter", "LIST",                             \
	  "record only these branches: any, u, k, any_call, any_ret, cond, ind_call, ..." }, \
	{ RCD_OPT_DEPTH, "depth", "N", "record at most N branches in a sample" }, \
	{ RCD_OPT_PID, "pid", "LIST", "record these processes: 12,34" },       \
	{ RCD_OPT_TID, "tid", "LIST", "record these threads: 12,34" },         \
	{ RCD_OPT_ALL, "all-cpus", NULL, "record all CPUs" },                  \
	{ RCD_OPT_CPU, "cpu", "LIST", "record these CPUs: 0,2-3" },            \
	{ RCD_OPT_NO_INHERIT, "no-inherit", NULL,                              \
	  "do not record the threads and processes that the recorded ones start" }, \
	{ RCD_OPT_PAGES, "mmap-pages", "N",                                    \
	  "use N pages for each ring buffer; N is a power of two (default: 128)" }

/* And those of programs that record for later. */
#define RCD_WINDOWS_OPTS                                                       \
	{ RCD_OPT_WINDOWS, "windows", "SIZE/EVERY",                            \
	  "record SIZE instructions without a gap in each EVERY instructions: 200k/50M" }, \
	{ RCD_OPT_PLACES, "windows-places", "HOW",                             \
	  "place windows random (default) in each EVERY, or systematic" },     \
	{ RCD_OPT_SEED, "windows-seed", "N",                                   \
	  "choose the places by this number (default: by the time)" }
/* clang-format on */

/*
 * Take one of these, whose argument is kept. Returns 0, ERROR_NOMEM, or ERROR_USAGE,
 * each with a text.
 */
int rcd_option(struct rcd_opts *opts, int id, const char *arg,
	       struct error *error);

/* Do they make sense together? Returns as rcd_option(). */
int rcd_check_opts(const struct rcd_opts *opts, struct error *error);

/* What the options hold themselves. */
void rcd_opts_free(struct rcd_opts *opts);

#endif
