/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects the counts of a machine: short turns that fit a budget, and a file for each
 * period. What it needs of the machine are functions, so a test can be the machine.
 */
#ifndef COLLECT_H
#define COLLECT_H

#include "collect/budget.h"
#include "collect/spool.h"
#include "countfile/countfile.h"

/*
 * ns of the shortest period. There is a second between two looks, so in a shorter period
 * none would come before its end.
 */
#define COLLECT_LEAST_PERIOD UINT64_C(2000000000)

/* Where the machine is in time. */
struct collect_time {
	uint64_t awake; /* ns, which stand still while the machine is suspended */
	uint64_t boot; /* ns, which do not */
	uint64_t wall; /* s since 1970, which may jump */
	uint64_t idle; /* ns that all CPUs together have been idle */
	uint64_t spent; /* ns of processor time that this process has taken */
	unsigned int cpus; /* that are online */
};

/* Why a wait ended, as a set. */
enum {
	COLLECT_WRITE = 1 << 0, /* write the file of the period now, and go on */
	COLLECT_END = 1 << 1, /* write it, and end */
};

struct collect_ops {
	void *arg;
	void (*now)(void *arg, struct collect_time *now);
	/* Wait for `span` ns at most. Returns a set of COLLECT_*. */
	unsigned int (*wait)(void *arg, uint64_t span);
	/*
	 * Record a turn and count it. Returns 0, or ERROR_* with a text. What it has cost
	 * is then stored all the same.
	 */
	int (*turn)(void *arg, const struct collect_sampling *how, struct collect_turn *turn,
		    struct error *error);
	/*
	 * Write what was counted in the period to a file. begin, end: in s since 1970. span: the
	 * ns of work that the turns stand for; what ran while the machine was idle is not in it,
	 * and what ran in periods without a turn is. Returns 0, or ERROR_*.
	 */
	int (*write)(void *arg, const char *path, const struct cf_source *source,
		     uint64_t begin, uint64_t end, uint64_t span, struct error *error);
	/* Forget what was counted: a new period begins. */
	void (*clear)(void *arg);
	/* Returns the bytes of memory that the counts take. */
	size_t (*bytes)(void *arg);
	/*
	 * Old files were removed by these rules. What was made of them may be removed, too.
	 * May be NULL.
	 */
	void (*rotate)(void *arg, const struct spool_keep *keep);
	/* What was done: one line without its end. */
	void (*say)(void *arg, const char *line);
	/* The same about what goes wrong, and about its end. */
	void (*warn)(void *arg, const char *line);
	/* How far the period is: one line, which nobody needs to keep. May be NULL. */
	void (*status)(void *arg, const char *line);
};

struct collect_opts {
	struct collect_limits limits;
	uint64_t keep_age; /* s; 0: any age */
	uint64_t keep_size; /* bytes; 0: any size */
	size_t memory; /* bytes that the counts may take; then the period ends early */
	uint64_t seed;
	bool once; /* one turn, and its file */
};

/*
 * Collect until wait() returns COLLECT_END. The spool is open. Returns 0, or ERROR_* with
 * a text if the last file could not be written, or, with `once`, if the turn failed.
 */
int collect_run(struct spool *spool, const struct collect_ops *ops,
		const struct collect_opts *opts, struct error *error);

#endif
