/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples to STF: each is a path from its oldest transfer to the instruction at which
 * it was taken. Paths that overlap are joined; between others there is a FORCE_PC.
 */
#ifndef TRACE_H
#define TRACE_H

#include "path/stitch.h"
#include "samples/samples.h"
#include "stf/stf.h"
#include "trace/tally.h"

enum trace_split { TRACE_SPLIT_NONE, TRACE_SPLIT_CPU, TRACE_SPLIT_THREAD };

struct trace_opts {
	/* Of the trace; of several, it becomes PATH.cpu0.zstf or PATH.tid17.zstf. */
	const char *path;
	enum trace_split split;
	enum path_stitch_mode stitch;
	/* The hart that the trace is of, others are bus masters; PD_NO_ID: all. */
	uint32_t primary_cpu;
	unsigned int generator; /* in the header: enum stf_generator */
	/* Called for each break of a path; NULL: nothing is. */
	void (*on_break)(void *arg, const struct pd_event *ev,
			 const struct path_run *run);
	void *arg;
};

#define TRACE_OPTS_INIT                                                        \
	{ .primary_cpu = PD_NO_ID, .generator = STF_GEN_QEMU }

/* What begins the comment at a trace's end, with the share of what ran that it holds. */
#define TRACE_COVERAGE "ssctr coverage "

struct trace;

/*
 * Begin to write what samples of *samples show. opts is copied, but for the path; that
 * and samples have to outlive the trace. What goes wrong, here and later, is told by
 * *error, which has to outlive it, too. NULL if it cannot begin.
 */
struct trace *trace_open(const struct trace_opts *opts, struct samples *samples,
			 struct error *error);

/* The next sample. Returns 0 or ERROR_* with a text. */
int trace_sample(struct trace *trace, const struct pd_event *ev);

/*
 * Complete the traces, each under its name. Returns 0, or ERROR_* with a text;
 * ERROR_NOTHING where there was nothing to use, ERROR_PARTIAL where too little of what
 * there was could be used.
 */
int trace_close(struct trace *trace);

/* What became of the samples; to be asked after trace_close(). */
void trace_note(const struct trace *trace, struct notes *notes);

/* Traces that were not completed are taken away. */
void trace_free(struct trace *trace);

#endif
