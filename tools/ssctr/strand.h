/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace out of a recording: of all, of a hart or of a thread. The end of a
 * path is held back until it is known whether the next sample goes on there, and
 * accesses of other masters until there is an instruction after them.
 */
#ifndef SSCTR_STRAND_H
#define SSCTR_STRAND_H

#include "masters.h"
#include "trace.h"

struct strand_tail {
	bool waits;
	uint32_t pid, tid;
	unsigned int event;
	struct path_run run;
	struct trap_notes notes; /* of the run */
	/* Accesses, from the queue's front, at its first and last instruction. */
	unsigned int first_accesses, last_accesses;
};

struct strand {
	uint32_t key;
	char *path; /* of the trace; NULL: not opened yet */
	struct trace trace;
	struct strand_tail tail;
	struct master_queue queue;
	uint64_t left_out; /* accesses that have no instruction after them */
};

/* Strands by key. */
struct strands {
	struct strand **v;
	unsigned int nr, cap;
	struct strand **slots; /* the same: open addressing */
	unsigned int mask;
};

/* The strand of that key, a new one if there is none. NULL: out of memory. */
struct strand *strands_get(struct strands *strands, uint32_t key);

/* Traces that are not closed are taken away. */
void strands_free(struct strands *strands);

/*
 * Write a run, or with hold, keep it as the tail. first: how many accesses belong
 * to its first instruction, see strand_go_on(). Returns 0 or STF_E_*, with the
 * text at the writer.
 */
int strand_run(struct strand *strand, const struct trace_run *what);
int strand_hold(struct strand *strand, const struct trace_run *what,
		uint32_t pid, uint32_t tid);

/* Write the tail: nothing goes on there. Returns as strand_run(). */
int strand_flush(struct strand *strand);

/*
 * The same at the end of the recording: what still waits for an instruction goes
 * to the last one.
 */
int strand_end(struct strand *strand);

#endif
