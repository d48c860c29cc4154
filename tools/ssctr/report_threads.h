/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of a recording, each with counts of its own, for the page of `ssctr report`.
 * Shares and trips of all threads cannot be divided among the threads afterwards. So the
 * recording is read a second time, if it has several threads, and counted for each of the
 * most frequent ones. The counts are those of `ssctr report` with --tid and --comm.
 */
#ifndef SSCTR_REPORT_THREADS_H
#define SSCTR_REPORT_THREADS_H

#include "hot/hot.h"
#include "recording.h"
#include "report_flame.h"

/* A thread, or all threads of one name. A thread that changes its name is several. */
struct report_thread {
	char name[COMMS_NAME_SIZE]; /* "": not recorded */
	uint32_t tid; /* if it is one thread */
	uint32_t nr; /* how many threads it is */
	uint64_t samples; /* with a branch stack */
	uint64_t events; /* the sum of their periods */
	/* After report_threads_find(), if it is one of the most frequent: */
	struct hot hot;
	struct calls calls;
	struct flame flame;
};

/* Set all members to 0 first. *threads must not be moved. */
struct report_threads {
	struct report_thread *v; /* in their order, the most frequent first */
	size_t nr, cap;
	size_t shown; /* how many of them have been counted */
	bool unread; /* there are several, but the recording cannot be read again */
	struct hash index;
	struct rec rec; /* the recording, read a second time */
};

/* Count a sample. Returns false if out of memory. */
bool report_threads_count(struct report_threads *threads, const struct samples *samples,
			  const struct pd_event *ev);

/*
 * Read the recording a second time, if that is necessary, and count for each thread as all
 * was counted in *hot. Returns CMD_OK, or CMD_FAIL, which was reported. Free *threads in
 * each case.
 */
int report_threads_find(struct report_threads *threads, const struct rec *rec,
			const struct hot *hot);

void report_threads_free(struct report_threads *threads);

/* "sort (tid 7)", or "sort (3 threads)". */
void report_thread_label(const struct report_thread *thread, char label[64]);

#endif
