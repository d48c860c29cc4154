/* SPDX-License-Identifier: GPL-2.0-only */
/* Count what is in an STF trace. */
#ifndef STATS_H
#define STATS_H

#include "base/error.h"
#include "base/hash.h"
#include "origin/origin.h"
#include "riscv/rv_class.h"
#include "stf/stf.h"

enum {
	STATS_PAGE_SHIFT = 12,
	/* More kinds of events than this number are counted together. */
	STATS_MAX_EVENTS = 256,
};

struct stats_event {
	uint64_t id;
	uint64_t mode; /* of a MODE_CHANGE */
	uint64_t count;
};

/* A set of different numbers: pages, processes, threads. */
struct stats_set {
	struct hash by_number;
	uint64_t *v;
	size_t nr, cap;
	bool full; /* there are more numbers than fit in */
};

/* How many different pages are accessed (the footprint). */
struct stats_pages {
	struct stats_set set;
	uint64_t last; /* the number of the last page plus 1; 0: none */
};

/* Memory accesses in one direction. */
struct stats_accesses {
	uint64_t count;
	uint64_t bytes;
};

/* Set all members to 0 before the first record. */
struct stats {
	struct stf_stats file; /* set by stats_read() */
	uint64_t records[256]; /* by enum stf_desc */
	uint64_t classes[RV_N_CLASSES];
	uint64_t taken;
	uint64_t gaps;
	uint64_t size16;
	uint64_t interrupted; /* instructions that did not execute (stats/executed.h) */
	struct stats_accesses reads, writes;
	struct stats_pages data, code;
	struct stats_event events[STATS_MAX_EVENTS];
	unsigned int n_events;
	uint64_t other_events;
	struct origin origin; /* what the trace tells of it */
	struct stats_set pids;
	struct stats_set tids; /* together with their pids */
};

/* Count a record of the header. Returns 0, or ERROR_NOMEM with a text. */
int stats_record(struct stats *stats, const struct stf_record *rec,
		 struct error *error);

/*
 * Count everything after the header of a trace, to its end. Returns 0, or ERROR_* with a
 * text. What was read before an error is counted.
 */
int stats_read(struct stats *stats, struct stf_reader *reader,
	       struct error *error);

void stats_free(struct stats *stats);

/*
 * Returns the size of an access in bytes. If sizes are in bits (mem_bits of struct
 * stf_params), a few are in bytes, and only the instruction tells which. rv_flags are
 * those of rv_mem_of().
 */
unsigned int stats_access_bytes(const struct stf_mem_access *access,
				const struct stf_inst *inst,
				unsigned int rv_flags, bool mem_bits);

#endif
