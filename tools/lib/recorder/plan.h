/* SPDX-License-Identifier: GPL-2.0-only */
/* What is to be recorded, and the events that it takes. */
#ifndef RECORDER_PLAN_H
#define RECORDER_PLAN_H

#include "base/notes.h"
#include "recorder/event.h"
#include "recorder/tasks.h"

enum {
	RCD_MAX_LISTS = 16,
	RCD_MAX_DEPTH = 256, /* of a branch stack */
	RCD_MAX_PAGES = 1 << 18, /* of a ring */
};

/* What the recording is for, which says what is recorded where nothing else does. */
enum rcd_use { RCD_FOR_ALL, RCD_FOR_STF, RCD_FOR_PROFILE };

struct rcd_opts {
	const char *events[RCD_MAX_LISTS]; /* as rcd_add_events() takes them */
	unsigned int nr_events;
	uint64_t period; /* events between two samples; 0: by frequency */
	uint64_t freq; /* samples a second; 0: 4000, UINT64_MAX: all that may be */
	uint64_t branches; /* as of rcd_branch_filter(); 0: by the use */
	uint64_t depth; /* the most branches in a sample; 0: by the use */
	enum rcd_use use;
	/* What is followed: these, or all, or, where nothing is said, a command. */
	struct rcd_pids pids, tids;
	bool all;
	const char *cpus; /* all that runs on these: 0,2-3 */
	bool inherit; /* and the threads and processes that they start */
	unsigned int pages; /* of a ring, a power of two */
	const char *output; /* "-": standard output */
	/* For the header: the words behind ssctr in the command line. */
	int nr_words;
	char **words;
};

#define RCD_OPTS_INIT                                                          \
	{                                                                      \
		.inherit = true, .pages = 128, .output = "perf.data"           \
	}

/* Does it follow what runs already, and not a command of its own? */
static inline bool rcd_attaches(const struct rcd_opts *opts)
{
	return opts->pids.nr || opts->tids.nr || opts->all || opts->cpus;
}

/* Are CPUs followed, and not tasks? */
static inline bool rcd_is_of_cpus(const struct rcd_opts *opts)
{
	return opts->all || opts->cpus;
}

/* Every event's sample begins with these, by which it is found and sorted. */
#define RCD_SAMPLE_TYPE                                              \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* What sample_id_all puts behind other records: TID, TIME, CPU, IDENTIFIER. */
enum { RCD_TRAILER = 32 };

/*
 * The events as the kernel is to open them. The first that a hart counts has branch
 * stacks, and one tells of mappings and tasks. What is other than it was asked for is
 * noted. Returns 0, ERROR_USAGE where there is no such event, or ERROR_NOMEM, each
 * with a text; the caller frees the events in any case.
 */
int rcd_plan(struct rcd_events *events, const struct rcd_opts *opts,
	     struct notes *notes, struct error *error);

#endif
