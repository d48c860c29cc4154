/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of perf, opened, and what the kernel writes of them into rings: a ring for
 * each CPU, which all events there share. The only room that knows libperf.
 */
#ifndef RECORDER_RINGS_H
#define RECORDER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;
struct rings;

/* What is followed: threads on every CPU, or CPUs with all that runs there. */
struct rings_target {
	const pid_t *tids; /* NULL: CPUs */
	unsigned int nr_tids;
	const char *cpus; /* a list like 0,2-3; NULL: all that are online */
};

struct rings_event {
	const struct perf_event_attr *attr; /* attr->size bytes of it count */
	bool everywhere; /* on all CPUs, whichever are named */
};

struct rings_stats {
	uint64_t samples;
	uint64_t lost; /* events that found a ring full */
	uint64_t throttled;
	uint64_t bytes;
};

/* NULL if this build has libperf, or else what it takes to have it. */
const char *rings_missing(void);

/*
 * Open the events, disabled if their attr says so, and map their rings of so many
 * pages, a power of two. Returns 0 with *r set, or a negative errno; *failed is then
 * the event that was not opened, or nr if it was the rings.
 */
int rings_open(struct rings **r, const struct rings_event *events,
	       unsigned int nr, const struct rings_target *target,
	       unsigned int pages, unsigned int *failed);

/* NULL is allowed. */
void rings_close(struct rings *r);

/* The kernel's ids of event i. */
const uint64_t *rings_ids(const struct rings *r, unsigned int i, size_t *nr);

/* Returns 0, or a negative errno. */
int rings_enable(struct rings *r, unsigned int i);
void rings_disable(struct rings *r);

/* rings_wait() ends also when fd can be read. Returns 0, or a negative errno. */
int rings_watch(struct rings *r, int fd);

/*
 * Wait until a ring is half full, or for timeout ms; -1: for ever. Returns false
 * when all threads that were followed are gone.
 */
bool rings_wait(struct rings *r, int timeout);

/*
 * Hand all whole records that are in the rings to write(), in pieces of the rings
 * themselves, and make room for more. Each ring's end is taken as it is when its
 * turn comes: what is written later waits for the next round. Returns 0, or what
 * write() returned if that was not 0.
 */
int rings_drain(struct rings *r, int (*write)(void *arg, const void *, size_t),
		void *arg);

const struct rings_stats *rings_stats(const struct rings *r);

/* What event i, opened for one thread or none, on one CPU, has counted. */
struct rings_count {
	uint64_t id; /* the kernel's */
	uint64_t count; /* how often it happened there */
	uint64_t lost; /* samples of it that could not be written */
	int cpu; /* -1: wherever the thread ran */
	pid_t tid; /* -1: all that ran on the CPU */
};

/*
 * By the kernel's own count. *nr counts, to be freed. Returns 0, -EIO: it does not say,
 * or -ENOMEM.
 */
int rings_counts(struct rings *r, unsigned int i, struct rings_count **counts,
		 size_t *nr);

#endif
