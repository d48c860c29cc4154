/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches: how often each kind ran, how often conditional branches were taken, and how
 * often two simple predictors are wrong about them.
 *
 * The first predictor is a 2-bit counter for each branch. It counts up to 3 if the branch
 * is taken, down to 0 if it is not, and predicts "taken" from 2 on. No two branches share a
 * counter.
 *
 * The second one is a gshare. It has a table of 4096 of these counters. The history is
 * the outcome of the last 12 conditional branches, the newest one in bit 0. The index is
 * bits 12:1 of the PC, exclusive-or the history. All threads share the table and the
 * history, in the order of the trace. A gap changes neither.
 *
 * All counters start at 1, and the history at 0.
 *
 * How far a branch depends on the branch before: its outcomes are also counted by the
 * outcome of the conditional branch that ran just before. There is none before the first
 * branch of the trace, behind a gap, and where another hart or thread runs.
 */
#ifndef TRACESTAT_BRANCHES_H
#define TRACESTAT_BRANCHES_H

#include "base/hash.h"
#include "stf/stf.h"

enum {
	TSTAT_GSHARE_BITS = 12,
	/* Branches with counts of their own: 6 MiB. */
	TSTAT_MAX_BRANCHES = 1 << 16,
	TSTAT_N_XFERS = 16, /* enum rv_xfer */
};

/* Conditional branches: one, or all. */
struct tstat_predicted {
	uint64_t ran; /* those whose outcome the trace tells */
	uint64_t taken;
	uint64_t wrong_counter; /* times the 2-bit counter is wrong */
	uint64_t wrong_gshare;
};

struct tstat_outcomes {
	uint64_t ran, taken;
};

struct tstat_branch {
	uint64_t pc;
	uint32_t pid;
	uint8_t counter;
	struct tstat_predicted n;
	/* Outcomes behind a branch that was not taken, and behind one that was taken. */
	struct tstat_outcomes after[2];
};

/* Set all members to 0 before the first branch. */
struct tstat_branches {
	/* Instructions that executed, by enum rv_xfer, and how many of them lead to a target. */
	uint64_t kinds[TSTAT_N_XFERS], taken[TSTAT_N_XFERS];
	/*
	 * Conditional branches at which an event interrupts. The trace does not tell their
	 * outcome here. They are in none of the other counts of conditional branches.
	 */
	uint64_t interrupted;
	struct tstat_predicted all; /* without `further` */
	/* Executions of branches that found no place among TSTAT_MAX_BRANCHES. */
	uint64_t further;
	struct tstat_branch *v; /* without an order, until tstat_branches_sort() */
	size_t nr, cap;
	struct hash by_pc;
	uint8_t *gshare; /* the counters; NULL before the first branch */
	unsigned int history;
	bool has_before; /* the outcome of the branch before is known: bit 0 of history */
	struct stf_process before; /* who ran it */
};

/*
 * Count an instruction, whose enum rv_xfer is not RV_XFER_NONE. Returns false if out of
 * memory.
 */
bool tstat_branches_count(struct tstat_branches *branches,
			  const struct stf_inst *inst, unsigned int xfer,
			  bool executed);

/* There is a gap here: the branch before is not known. */
static inline void tstat_branches_gap(struct tstat_branches *branches)
{
	branches->has_before = false;
}

/*
 * Of the executions whose branch before is known: how many does the best fixed prediction
 * get wrong? It is always the same one, or, if `knows`, one for each outcome of the branch
 * before.
 */
uint64_t tstat_branch_wrong(const struct tstat_branch *branch, bool knows);

/*
 * Sort the branches: first the one about which gshare is wrong most often, and then by
 * the 2-bit counter, the PC and the process. After this, count no more.
 */
void tstat_branches_sort(struct tstat_branches *branches);

void tstat_branches_free(struct tstat_branches *branches);

#endif
