/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make STF from samples. Each sample gives a path, from its oldest transfer to the
 * instruction at which it was taken. Overlapping paths are joined. Between other paths,
 * the trace has a FORCE_PC.
 */
#ifndef TRACE_H
#define TRACE_H

#include "path/stitch.h"
#include "samples/samples.h"
#include "stf/stf.h"
#include "trace/outcome.h"

enum trace_split { TRACE_SPLIT_NONE, TRACE_SPLIT_CPU, TRACE_SPLIT_THREAD };

struct trace_opts {
	/*
	 * The path of the trace. If there are several traces, it becomes PATH.cpu0.zstf
	 * or PATH.tid17.zstf.
	 */
	const char *path;
	enum trace_split split;
	enum path_stitch_mode stitch;
	/* The hart of the trace. Other harts are bus masters. PD_NO_ID: all harts. */
	uint32_t primary_cpu;
	/*
	 * The table of windows, of a recording that has windows. NULL: it is beside the
	 * trace, and there is none beside standard output.
	 */
	const char *windows_path;
	/* the generator in the header: enum stf_generator */
	unsigned int generator;
	/* Called for each break of a path. May be NULL. */
	void (*on_break)(void *arg, const struct pd_event *ev,
			 const struct path_run *run);
	void *arg;
};

#define TRACE_OPTS_INIT                                                        \
	{ .primary_cpu = PD_NO_ID, .generator = STF_GEN_QEMU }

/*
 * The beginning of the comment in the first group of a window: "ssctr window NUMBER: weight
 * W, place P, thread T".
 */
#define TRACE_WINDOW "ssctr window "

struct trace;

/*
 * Begin to write what the samples of *samples show. opts is copied, but not its paths. The
 * path and samples must exist as long as the trace. *error gets the text of all errors,
 * now and later. It must exist as long as the trace, too. One is that a file would replace
 * the recording; of several traces, it comes with the first sample of that one. Returns NULL
 * if it cannot begin.
 */
struct trace *trace_open(const struct trace_opts *opts, struct samples *samples,
			 struct error *error);

/* Take the next sample. Returns 0, or ERROR_* with a text. */
int trace_sample(struct trace *trace, const struct pd_event *ev);

/*
 * Complete the traces and give them their names. Returns 0, or ERROR_* with a text.
 * Returns ERROR_NOTHING if nothing could be used, and ERROR_PARTIAL if too little could
 * be used.
 */
int trace_close(struct trace *trace);

/*
 * Call this after trace_close(). Returns whether there is no table of windows where a user
 * may look for one, with a text in *why. A table that stands there would be taken for that
 * of the trace.
 */
bool trace_lacks_table(const struct trace *trace, struct error *why);

/* Call this after trace_close(). Add notes that say what happened with the samples. */
void trace_note(const struct trace *trace, struct notes *notes);

/* Free the trace. Traces that are not complete are removed. */
void trace_free(struct trace *trace);

#endif
