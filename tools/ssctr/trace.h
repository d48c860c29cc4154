/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths written as STF: runs of instructions become records. */
#ifndef SSCTR_TRACE_H
#define SSCTR_TRACE_H

#include "path/path.h"
#include "stf/stf.h"

struct trace {
	struct stf_writer *writer;
	struct stf_header header; /* written before the first instruction */
	bool started;
	enum stf_mode mode;
	struct stf_process process; /* of the runs to come */
	struct stf_process written; /* the last that the trace names */
	uint64_t insns;
	/* Traps whose cause neither the record nor the instruction tells. */
	uint64_t guessed_causes;
};

/* The thread that the next runs belong to. */
void trace_process(struct trace *trace, uint32_t cpu, uint32_t pid,
		   uint32_t tid);

/*
 * Write one run. t are the transfers of its path; event is the index of the perf
 * event that took the sample. Returns 0 or STF_E_*, with the text at the writer.
 */
int trace_run(struct trace *trace, const struct path_run *run,
	      const struct path_transfer *t, unsigned int event);

#endif
