/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open perf events, and read the rings into which the kernel writes. Each CPU has one
 * ring, which all events there share. Only this room uses libperf.
 */
#ifndef RECORDER_RINGS_H
#define RECORDER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;
struct rings;

/* What the events follow: threads on every CPU, or CPUs with everything that runs there. */
struct rings_target {
	const pid_t *tids; /* NULL: CPUs */
	unsigned int nr_tids;
	/* a list such as 0,2-3; NULL: all CPUs that are online */
	const char *cpus;
	/*
	 * One event follows a thread to all CPUs, instead of one on each CPU. tids is then
	 * not NULL, and no event is inherited. Each thread has a ring.
	 */
	bool any_cpu;
};

struct rings_event {
	/* the first attr->size bytes are used */
	const struct perf_event_attr *attr;
	bool everywhere; /* on all CPUs, whatever the target names */
};

struct rings_stats {
	uint64_t samples;
	uint64_t lost; /* events that found the ring full */
	uint64_t throttled;
};

/* Returns NULL if this build has libperf. Otherwise returns what is needed to have it. */
const char *rings_missing(void);

/*
 * Open the events, and map their rings. The events are disabled if their attr says so.
 * pages is the number of pages of a ring, a power of two. Returns 0 and sets *r, or
 * returns a negative errno. *failed is then the number of the event that could not be
 * opened, or nr if the rings could not be mapped.
 */
int rings_open(struct rings **r, const struct rings_event *events,
	       unsigned int nr, const struct rings_target *target,
	       unsigned int pages, unsigned int *failed);

/* r may be NULL. */
void rings_close(struct rings *r);

/* Returns the kernel's ids of event i. *nr is their number. */
const uint64_t *rings_ids(const struct rings *r, unsigned int i, size_t *nr);

/*
 * Returns file descriptor number `at` of event i, which has one for each CPU and thread.
 * *cpu is set to its CPU, or to -1 for any. Returns -1 if there is none.
 */
int rings_fd(const struct rings *r, unsigned int i, unsigned int at, int *cpu);

/* Returns whether event i is on this CPU. */
bool rings_is_on(const struct rings *r, unsigned int i, int cpu);

/* Returns 0 or a negative errno. */
int rings_enable(struct rings *r, unsigned int i);
void rings_disable(struct rings *r);

/* Let rings_wait() also end when fd can be read. Returns 0 or a negative errno. */
int rings_watch(struct rings *r, int fd);

/*
 * Wait until a ring is half full, but at most timeout ms. -1 means no limit. Returns
 * false when all threads that were followed are gone.
 */
bool rings_wait(struct rings *r, int timeout);

/*
 * Pass all whole records in the rings to write(), and then free their place in the rings.
 * write() gets parts of the rings, not copies. The end of each ring is read when its turn
 * begins. What is written later waits for the next round. Returns 0, or the result of
 * write() if that is not 0.
 */
int rings_drain(struct rings *r, int (*write)(void *arg, const void *, size_t),
		void *arg);

const struct rings_stats *rings_stats(const struct rings *r);

/* The counts of event i, opened for one thread or none, on one CPU. */
struct rings_count {
	uint64_t id; /* the id of the kernel */
	uint64_t count; /* how often the event happened there */
	uint64_t lost; /* samples of the event that could not be written */
	uint64_t enabled, running; /* the ns that it was enabled, and that it counted */
	int cpu; /* -1: wherever the thread ran */
	pid_t tid; /* -1: everything that ran on the CPU */
};

/*
 * Read the kernel's own counts. *counts has *nr elements, and the caller frees it.
 * Returns 0, -EIO if the kernel does not tell them, or -ENOMEM.
 */
int rings_counts(struct rings *r, unsigned int i, struct rings_count **counts,
		 size_t *nr);

#endif
