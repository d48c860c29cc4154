/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace of a recording: of the whole recording, of a hart or of a thread. The end of
 * a path is held back until the next path begins, because a side event may still tell a
 * fault that the path shows. At the end of the recording, the last path gets everything
 * that still waits. Accesses of other masters wait until an instruction comes after them.
 */
#ifndef TRACE_OUTPUT_H
#define TRACE_OUTPUT_H

#include "base/hash.h"
#include "samples/shown.h"
#include "trace/about.h"
#include "trace/masters.h"
#include "trace/run.h"
#include "tracefile/tracefile.h"

/* The part of a sample that is written. */
struct output_path {
	/* the index of the perf event that took the sample */
	unsigned int event;
	const struct path_run *runs;
	unsigned int nr_runs;
	const struct path_transfer *transfers;
	unsigned int nr_transfers;
	const struct trap_notes *notes;
};

/* The runs that are held back, and the data that they point to. */
struct output_tail {
	unsigned int event;
	struct path_run *runs;
	size_t nr_runs, cap_runs;
	struct path_transfer *transfers;
	size_t cap_transfers;
	struct trap_notes notes;
	/* a fault that a side event may still tell */
	struct trap_pending fault;
	/*
	 * How many accesses from the front of the queue belong to the interrupted
	 * instruction.
	 */
	size_t accesses;
};

struct output {
	uint32_t key;
	char *path; /* the path of the trace; NULL: not opened yet */
	struct tracefile file;
	struct run_writer runs; /* to this file */
	struct about about; /* the comments of its header */
	struct about_map map; /* of the run that was looked at last */
	struct shown shown;
	struct output_tail tail;
	uint32_t pid, tid; /* the thread of the last sample */
	struct master_queue queue;
	uint64_t left_out; /* accesses without an instruction after them */
};

/* All traces of a recording, by their keys. */
struct outputs {
	struct output **v;
	size_t nr, cap;
	struct hash by_key;
};

/*
 * Returns the output with this key. If there is none, adds it. Returns NULL if out of
 * memory.
 */
struct output *outputs_get(struct outputs *outputs, uint32_t key);

/* Free all outputs. Traces that are not closed are removed. */
void outputs_free(struct outputs *outputs);

/*
 * Write the path of a sample, up to run number held. The other runs are held back.
 * Returns 0, or STF_E_* with the text in the writer.
 */
int output_path(struct output *output, const struct output_path *path,
		unsigned int held);

/*
 * Take a fault that a side event told for the thread of the last sample. Returns 0 or
 * STF_E_NOMEM.
 */
int output_fault(struct output *output, const struct side_fault *fault);

/* Write what is held back. Returns like output_path(). */
int output_flush(struct output *output);

/*
 * Write what is held back at the end of the recording. Everything that still waits for an
 * instruction goes to the last one. Returns like output_path().
 */
int output_end(struct output *output);

#endif
