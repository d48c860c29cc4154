/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace out of a recording: of all, of a hart or of a thread. The end of a
 * path is held back until it is known whether the next sample goes on there, and
 * accesses of other masters until there is an instruction after them.
 */
#ifndef TRACE_OUTPUT_H
#define TRACE_OUTPUT_H

#include "base/hash.h"
#include "trace/masters.h"
#include "trace/run.h"

struct output_tail {
	bool waits;
	uint32_t pid, tid;
	unsigned int event;
	struct path_run run;
	struct trap_notes notes; /* of the run */
	/* Accesses, from the queue's front, at its first and last instruction. */
	size_t first_accesses, last_accesses;
};

struct output {
	uint32_t key;
	char *path; /* of the trace; NULL: not opened yet */
	struct run_writer runs;
	struct output_tail tail;
	struct master_queue queue;
	uint64_t left_out; /* accesses that have no instruction after them */
};

/* All of a recording, by their keys. */
struct outputs {
	struct output **v;
	size_t nr, cap;
	struct hash by_key;
};

/* The output of that key, a new one if there is none. NULL: out of memory. */
struct output *outputs_get(struct outputs *outputs, uint32_t key);

/* Traces that are not closed are taken away. */
void outputs_free(struct outputs *outputs);

/*
 * Write a run, or with hold, keep it as the tail. first: how many accesses belong
 * to its first instruction, see output_go_on(). Returns 0 or STF_E_*, with the
 * text at the writer.
 */
int output_run(struct output *output, const struct run *what);
int output_hold(struct output *output, const struct run *what,
		uint32_t pid, uint32_t tid);

/* Write the tail: nothing goes on there. Returns as output_run(). */
int output_flush(struct output *output);

/*
 * The same at the end of the recording: what still waits for an instruction goes
 * to the last one.
 */
int output_end(struct output *output);

#endif
