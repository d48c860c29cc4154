/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often an event happened, from the kernel's own counts, and which part of it lies
 * between samples: in total, on each hart and in each thread.
 */
#ifndef SAMPLES_COVERAGE_H
#define SAMPLES_COVERAGE_H

#include "base/hash.h"
#include "perfdata/perfdata.h"

enum coverage_kind { COVERAGE_EVENT, COVERAGE_HART, COVERAGE_THREAD };

struct coverage_part {
	enum coverage_kind kind;
	uint32_t number; /* the number of the hart or thread */
	uint32_t pid; /* the process of a thread */
	unsigned int event; /* the number of the event */
	uint64_t samples;
	uint64_t covered; /* how often the event happened between the samples */
	uint64_t last, before; /* the periods of the last sample, and of the one before it */
	bool unknown; /* a sample does not tell its period */
	/*
	 * How often the event happened. While another event had its counter, or the branch
	 * records, it was off: what it missed then is estimated.
	 */
	uint64_t count;
	bool counted; /* the recording tells count */
	bool lacks; /* a CPU is not recorded from some time on, so the count is not known */
	double on; /* which share of its time the event was on */
	uint64_t enabled; /* for COVERAGE_THREAD: the ns of the shortest of its events, or UINT64_MAX */
};

/* Set all members to 0 first. */
struct coverage {
	struct coverage_part *parts;
	size_t nr_parts, cap_parts;
	struct hash by_key;
	/* the last sample: its event, hart and thread, and their parts, by kind */
	const struct pd_attr *attr;
	uint32_t cpu, tid;
	size_t last[COVERAGE_THREAD + 1];
	/* the events, as often as they were opened */
	struct coverage_opened *opened;
	size_t nr_opened, cap_opened;
	struct hash by_id;
	uint64_t threads_ended;
};

/* Take a sample that is wanted, or a count. Both return false if out of memory. */
bool coverage_sample(struct coverage *c, const struct pd_event *ev);
bool coverage_count(struct coverage *c, const struct pd_event *ev);

/* Take that a CPU is not recorded from some time on. Returns false if out of memory. */
bool coverage_lacks(struct coverage *c, const struct pd_event *ev);

/* Take the end of a thread whose samples are wanted. */
void coverage_thread_ended(struct coverage *c);

/*
 * Returns how often the event happened, about, after the last samples of threads that have
 * ended: half of the period each that was under way. 0 if the event was counted on harts and
 * not in threads.
 */
double coverage_of_ends(const struct coverage *c, const struct coverage_part *all);

/* Returns whether the event was counted in threads, and not of all that ran on harts. */
bool coverage_is_of_threads(const struct coverage *c, unsigned int event);

/* Take the start of a thread. Returns false if out of memory. */
bool coverage_thread(struct coverage *c, const struct pd *pd, const struct pd_event *ev);

/*
 * Call this when everything is read. lost means that counts of threads may be missing.
 * Returns false if out of memory.
 */
bool coverage_end(struct coverage *c, const struct pd *pd, bool lost);

/* Returns the part, or NULL if there was neither a sample nor a count. */
const struct coverage_part *coverage_find(const struct coverage *c,
					  enum coverage_kind kind,
					  unsigned int event, uint32_t number);

/*
 * Returns the share that lies between samples, 0 to 1, or a negative number if it is not
 * known.
 */
double coverage_share(const struct coverage_part *part);

void coverage_free(struct coverage *c);

#endif
