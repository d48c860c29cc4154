/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often an event happened, by the kernel's own counts, and how much of that lies
 * between samples: in all, on each hart and in each thread.
 */
#ifndef SAMPLES_COVERAGE_H
#define SAMPLES_COVERAGE_H

#include "base/hash.h"
#include "perfdata/perfdata.h"

enum coverage_kind { COVERAGE_EVENT, COVERAGE_HART, COVERAGE_THREAD };

struct coverage_part {
	enum coverage_kind kind;
	uint32_t number; /* of the hart or thread */
	uint32_t pid; /* of a thread */
	unsigned int event; /* its number */
	uint64_t samples;
	uint64_t covered; /* how often it happened between them */
	bool unknown; /* a sample does not say its period */
	uint64_t count;
	bool counted; /* the recording tells count */
};

/* All 0 before the first. */
struct coverage {
	struct coverage_part *parts;
	size_t nr_parts, cap_parts;
	struct hash by_key;
	size_t last[COVERAGE_THREAD + 1]; /* the last sample's, by kind */
	struct coverage_opened *opened; /* events, as often as they were opened */
	size_t nr_opened, cap_opened;
	struct hash by_id;
};

/* A sample that is wanted, or a count. False: out of memory. */
bool coverage_sample(struct coverage *c, const struct pd_event *ev);
bool coverage_count(struct coverage *c, const struct pd_event *ev);

/* A thread has begun. False: out of memory. */
bool coverage_thread(struct coverage *c, const struct pd *pd, uint32_t tid);

/* All is read; lost: counts of threads may be missing. False: out of memory. */
bool coverage_end(struct coverage *c, const struct pd *pd, bool lost);

/* NULL: there was neither a sample nor a count. */
const struct coverage_part *coverage_find(const struct coverage *c,
					  enum coverage_kind kind,
					  unsigned int event, uint32_t number);

/* 0 to 1; negative: it is not known. */
double coverage_share(const struct coverage_part *part);

void coverage_free(struct coverage *c);

#endif
