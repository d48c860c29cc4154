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
};

/* Entries of a table of options. */
#define RCD_OPTS                                                               \
	{ RCD_OPT_EVENT, "event", "LIST",                                      \
	  "what to sample by (default: cycles)" },                             \
	{ RCD_OPT_COUNT, "count", "N", "a sample each N events" },             \
	{ RCD_OPT_FREQ, "freq", "N",                                           \
	  "N samples a second (default: 4000), or max" },                      \
	{ RCD_OPT_FILTER, "branch-filter", "LIST",                             \
	  "which branches: any, u, k, any_call, any_ret, cond, ind_call, ..." },\
	{ RCD_OPT_DEPTH, "depth", "N", "at most N branches in a sample" },     \
	{ RCD_OPT_PID, "pid", "LIST", "processes that run" },                  \
	{ RCD_OPT_TID, "tid", "LIST", "threads that run" },                    \
	{ RCD_OPT_ALL, "all-cpus", NULL, "all that runs" },                    \
	{ RCD_OPT_CPU, "cpu", "LIST", "all that runs on these harts: 0,2-3" }, \
	{ RCD_OPT_NO_INHERIT, "no-inherit", NULL,                              \
	  "not the threads and processes that they start" },                   \
	{ RCD_OPT_PAGES, "mmap-pages", "N",                                    \
	  "pages of a hart's ring, a power of two (default: 128)" }

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
