/* SPDX-License-Identifier: GPL-2.0-only */
/* Decide what to record, and the events for it. */
#ifndef RECORDER_PLAN_H
#define RECORDER_PLAN_H

#include "base/notes.h"
#include "recorder/event.h"
#include "recorder/points.h"
#include "recorder/tasks.h"
#include "windows/windows.h"

enum {
	RCD_MAX_LISTS = 16,
	RCD_MAX_DEPTH = 256, /* the most entries of a branch stack */
	RCD_PAGES = 128, /* the pages of a ring if nothing else is said */
	RCD_MAX_PAGES = 1 << 18, /* the most pages of a ring */
};

/*
 * The purpose of the recording. It sets the defaults for everything that the user does
 * not set.
 */
enum rcd_use { RCD_FOR_ALL, RCD_FOR_STF, RCD_FOR_PROFILE };

struct rcd_opts {
	const char *events[RCD_MAX_LISTS]; /* lists for rcd_add_events() */
	unsigned int nr_events;
	uint64_t period; /* events between two samples; 0: by freq */
	/*
	 * samples per second; 0: 4000; UINT64_MAX: the highest rate that the kernel
	 * allows
	 */
	uint64_t freq;
	/* bits of rcd_branch_filter(); 0: as `use` needs it */
	uint64_t branches;
	/* the most branches in a sample; 0: as `use` needs it */
	uint64_t depth;
	enum rcd_use use;
	/* What is recorded: these tasks, or everything. If nothing is set: a command. */
	struct rcd_pids pids, tids;
	bool all;
	const char *cpus; /* everything that runs on these CPUs: 0,2-3 */
	bool inherit; /* also the threads and processes that these start */
	/* pages of a ring, a power of two; 0: 128, or what a window needs */
	unsigned int pages;
	/*
	 * Record the last branches before these points, and nothing in between. events,
	 * period, freq and depth are then not used. NULL: none.
	 */
	const struct points_opts *points;
	/*
	 * Record windows of user code, and only count in between. events, period and freq
	 * are then not used, and threads that begin later are not recorded.
	 */
	struct windows windows;
	const char *output; /* "-": standard output */
	/* Kept from one recording to the next. NULL: nothing is. */
	struct rcd_known *known;
	/* For the header: the words after ssctr in the command line. */
	int nr_words;
	char **words;
};

#define RCD_OPTS_INIT                                                          \
	{                                                                      \
		.inherit = true, .output = "perf.data"                         \
	}

/* Returns whether the options record what runs already, and not a command. */
static inline bool rcd_attaches(const struct rcd_opts *opts)
{
	return opts->pids.nr || opts->tids.nr || opts->all || opts->cpus;
}

/* Returns whether CPUs are recorded, and not tasks. */
static inline bool rcd_is_of_cpus(const struct rcd_opts *opts)
{
	return opts->all || opts->cpus;
}

/* Returns whether windows are recorded. */
static inline bool rcd_has_windows(const struct rcd_opts *opts)
{
	return opts->windows.size;
}

/* Each sample begins with these fields, which identify and sort it. */
#define RCD_SAMPLE_TYPE                                              \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* What is read of an event: its count, the ns that it was enabled and on, id, lost samples. */
#define RCD_READ_FORMAT                                                         \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |      \
	 PERF_FORMAT_ID | 1u << 4 /* PERF_FORMAT_LOST */)
enum { RCD_READ_WORDS = 5 };

/* The bytes that sample_id_all adds to other records: TID, TIME, CPU, IDENTIFIER. */
enum { RCD_TRAILER = 32 };

/*
 * Make the events that the kernel must open. The first event that a hart counts has
 * branch stacks. One event reports mappings and tasks. Differences from the user's
 * options are notes. Returns 0, ERROR_USAGE if there is no such event, or ERROR_NOMEM,
 * each with a text. The caller frees the events in every case.
 */
int rcd_plan(struct rcd_events *events, const struct rcd_opts *opts,
	     struct notes *notes, struct error *error);

/* Returns the period in a window, which follows from the depth of the samples. */
unsigned int rcd_windows_dense(const struct rcd_opts *opts);

/* Returns the pages of a ring: what the options say, or what suits them. */
unsigned int rcd_pages(const struct rcd_opts *opts);

#endif
