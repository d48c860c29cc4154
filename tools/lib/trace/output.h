/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace out of a recording: of all, of a hart or of a thread. The end of a path
 * is held back until the next one begins: a fault that it shows may be told in between,
 * and at the recording's end it takes what still waits. Accesses of other masters wait
 * until there is an instruction after them.
 */
#ifndef TRACE_OUTPUT_H
#define TRACE_OUTPUT_H

#include "base/hash.h"
#include "trace/masters.h"
#include "trace/run.h"

/* What is to be written of a sample. */
struct output_path {
	unsigned int event; /* index of the perf event that took it */
	const struct path_run *runs;
	unsigned int nr_runs;
	const struct path_transfer *transfers;
	unsigned int nr_transfers;
	const struct trap_notes *notes;
};

/* Runs that are held back, and what they point to. */
struct output_tail {
	unsigned int event;
	struct path_run *runs;
	size_t nr_runs, cap_runs;
	struct path_transfer *transfers;
	size_t cap_transfers;
	struct trap_notes notes;
	struct trap_pending fault; /* that is still to be told */
	size_t accesses; /* from the queue's front, at the interrupted instruction */
};

struct output {
	uint32_t key;
	char *path; /* of the trace; NULL: not opened yet */
	struct run_writer runs;
	struct output_tail tail;
	uint32_t pid, tid; /* whose sample was the last */
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
 * Write a sample's path, but for its runs from that number on, which are held back.
 * Returns 0 or STF_E_*, with the text at the writer.
 */
int output_path(struct output *output, const struct output_path *path,
		unsigned int held);

/* A fault was told of the thread whose sample was the last. Returns 0 or STF_E_NOMEM. */
int output_fault(struct output *output, const struct side_fault *fault);

/* Write what is held back. Returns as output_path(). */
int output_flush(struct output *output);

/*
 * The same at the end of the recording: what still waits for an instruction goes
 * to the last one.
 */
int output_end(struct output *output);

#endif
