/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ssctr record` was asked for, and the recording of it. */
#ifndef SSCTR_RECORD_H
#define SSCTR_RECORD_H

#include "ssctr.h"

#include "recorder/event.h"

#include <sys/types.h>

/* One of many numbers, as -p and -t take them. */
struct record_list {
	pid_t *v;
	unsigned int nr;
};

struct record_plan {
	const struct cmd *cmd;
	int argc; /* the whole command line, for the header */
	char **argv;
	struct rcd_events events;
	unsigned int nr_asked; /* the others may be left out */
	struct record_list pids, tids;
	bool all;
	const char *cpus;
	bool inherit;
	unsigned int pages; /* of a ring */
	double duration; /* seconds; 0: no end */
	bool quiet;
	const char *output;
	char **command; /* NULL: none */
};

/* Every event's sample begins with these, by which it is found and sorted. */
#define RECORD_SAMPLE_TYPE                                           \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* What sample_id_all puts behind other records: TID, TIME, CPU, IDENTIFIER. */
enum { RECORD_TRAILER = 32 };

/* Does it follow what runs already, and not a command of its own? */
static inline bool record_attaches(const struct record_plan *plan)
{
	return plan->pids.nr || plan->tids.nr || plan->all || plan->cpus;
}

/* Are CPUs followed, and not tasks? */
static inline bool record_is_of_cpus(const struct record_plan *plan)
{
	return plan->all || plan->cpus;
}

/*
 * Record as planned. Events that may not see the kernel are changed to see user
 * code alone. Returns the exit status of ssctr: of the command, where one was
 * recorded, or CMD_FAIL, which was reported. After SIGINT or SIGTERM it ends by
 * that signal, with the recording complete.
 */
int record_run(struct record_plan *plan);

/* Why an event, or with e NULL the rings, could not be opened. CMD_FAIL. */
int record_refused(const struct record_plan *plan, const struct rcd_event *e,
		   int error);

struct pdw;

/* The events and the machine, in the header. 0, or -1 with errno set. */
int record_header(const struct record_plan *plan, struct pdw *w);

#endif
