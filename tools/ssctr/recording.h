/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the subcommands that read a recording share: its options, the progress that
 * they show, and what they say at the end.
 */
#ifndef SSCTR_RECORDING_H
#define SSCTR_RECORDING_H

#include "count/repeats.h"
#include "countfile/countfile.h"
#include "hot/counted.h"
#include "hot/hot.h"
#include "samples/options.h"
#include "ssctr.h"

/* How rec_find_hot() counts and names. */
struct rec_how {
	bool raw; /* what the stacks hold, and not how often it ran */
	bool mangled; /* C++ and Rust functions have their symbols' names */
	bool no_trips; /* of loops, which take the most time */
	bool call_stacks; /* are shown, too: a recording need not have anything else */
};

struct rec {
	const struct cmd *cmd;
	const char *path; /* NULL: not given yet */
	struct samples_opts opts;
	struct rec_how how;
	struct samples samples;
	/* What is open instead of a recording; NULL: no counts file is. */
	struct cf_reader *counts;
	struct hot_counted counted; /* its code, for rec_find_hot() */
	struct repeats repeats; /* if kinds of branches are missing */
	unsigned int percent; /* shown last */
	struct notes notes; /* see rec_notes(); the first ones are the subcommand's own */
	bool noted;
};

enum { REC_OPT_INPUT = 'i', REC_OPT_RAW = 0x1800, REC_OPT_NO_DEMANGLE };

/* The first entries of a subcommand's option table. */
#define REC_OPTS                                                               \
	{ REC_OPT_INPUT, "input", "FILE",                                      \
	  "read the recording FILE, or - for standard input (default: perf.data)" }, \
	SAMPLES_OPTS

/* More of them, of those that name functions, and that count what ran. */
/* clang-format off */
#define REC_NAMES_OPT                                                          \
	{ REC_OPT_NO_DEMANGLE, "no-demangle", NULL,                            \
	  "show the symbols of C++ and Rust functions, and not their names in the source" }
#define REC_HOW_OPTS                                                           \
	{ REC_OPT_RAW, "raw", NULL,                                            \
	  "count each branch record once, without a weight" },                    \
	REC_NAMES_OPT
/* clang-format on */

void rec_init(struct rec *rec, const struct cmd *cmd);

/* Is the option just returned one of REC_OPTS or REC_HOW_OPTS? */
bool rec_has_option(int id);

/* Take it. CMD_OK, or CMD_USAGE or CMD_FAIL, which was reported. */
int rec_option(struct rec *rec, const struct cmd_opts *opts, int id);

/*
 * The recording may also be the one operand. False: there are more, which was reported
 * as a usage error.
 */
bool rec_operand(struct rec *rec, const struct cmd_opts *opts);

/* The same for a subcommand whose operands are something else. */
void rec_default(struct rec *rec);

/* Open the recording. CMD_OK, or CMD_FAIL, which was reported. */
int rec_open(struct rec *rec);

/* Open a counts file in its place, which has no samples. Returns as rec_open(). */
int rec_open_counts(struct rec *rec);

/* For the error of those who read something else: whether it is a recording or a counts file, or "". */
const char *rec_hint(const char *path);

/* As samples_next(). */
int rec_next(struct rec *rec, struct pd_event *ev, struct error *error);

/* The line of an error. Returns CMD_FAIL. */
int rec_error(struct rec *rec, const struct error *error);

/* The same of what a library returned. Returns CMD_FAIL or CMD_PARTIAL. */
int rec_failed(struct rec *rec, int ret, const struct error *error);

/*
 * Open the recording or counts file and, as rec->how says, find what is hot in it. CMD_OK, or CMD_FAIL,
 * which was reported. In each case *hot is to be freed, before the recording is closed.
 */
int rec_find_hot(struct rec *rec, struct hot *hot);

/*
 * Is it known what ran? Returns CMD_OK, or CMD_FAIL if kinds of branches were not recorded,
 * which was reported.
 */
int rec_needs_all(const struct rec *rec, const struct hot *hot);

/*
 * The kinds of branches that were recorded, for people, if these are not all: "any_call only".
 * Returns text, or "" if all were recorded.
 */
const char *rec_kinds(const struct rec *rec, char *text, size_t size);

/*
 * The least share of an event's count that is between the samples, 0 to 1, or a negative
 * number if it is not known.
 */
double rec_coverage(const struct rec *rec);

/* Returns how many samples have an empty branch stack, which shows nothing of what ran. */
uint64_t rec_empty(const struct rec *rec);

/*
 * The same in steps, of a recording, for those who count more than this: call rec_count_hot()
 * for each sample in between, which returns false if out of memory. ret is what rec_next()
 * returned last, with its error.
 */
int rec_begin_hot(struct rec *rec, struct hot *hot);
bool rec_count_hot(struct rec *rec, struct hot *hot, const struct pd_event *ev);
int rec_end_hot(struct rec *rec, struct hot *hot, int ret, const struct error *error);

/*
 * To stderr: these notes, which are freed, the coverage, what was lost or left out, and
 * the files that could not be used.
 */
void rec_summary(struct rec *rec, struct notes *notes);

/*
 * All that has to be said of a recording or counts file, and of the files that ran: the
 * coverage, what was lost or left out, and what is missing or may be wrong. Each form of the
 * output has it, or is followed by it. Which files are missing is known only when all that is
 * shown has been named, so call this behind that. The notes stay as they were at the first call.
 */
const struct notes *rec_notes(struct rec *rec, const struct hot *hot);

/*
 * Write rec_notes() to stderr, behind what was printed to stdout; nothing if it could not be
 * printed, which is told alone, by who calls cmd_NAME().
 */
void rec_printed(struct rec *rec, const struct hot *hot);

/* How many events were lost, and how often the kernel throttled the sampling, if it is known. */
uint64_t rec_lost(const struct rec *rec);
bool rec_throttled(const struct rec *rec, uint64_t *times);

/* Leave the recording, but not the options: another one may be opened. */
void rec_end(struct rec *rec);

void rec_close(struct rec *rec);

#endif
