/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count the call stacks of a recording's samples, and write them in the forms that
 * viewers read.
 *
 *	calls_begin(&calls, code);
 *	while (...)
 *		calls_count(&calls, &ev);
 *	calls_name(&calls, true);
 *	calls_folded(&calls, file);
 *	calls_free(&calls);
 *
 * If the recording has the call stacks of the hart (`--call-graph lbr`), these are used.
 * The kernel's part of them comes from the kernel. Otherwise the call stacks are used
 * that the kernel found by frame pointers (`-g`).
 */
#ifndef CALLS_H
#define CALLS_H

#include "base/hash.h"
#include "calls/reach.h"
#include "image/demangle.h"
#include "path/code.h"
#include "perfdata/perfdata.h"

#include <stdio.h>

/* A function. All code of a binary that is in no known function counts as one function. */
struct calls_function {
	const char *name; /* the name of its symbol or of the binary */
	const char *binary;
	bool known;
};

/* The place where control is, or where a call was made. */
struct calls_frame {
	struct path_place at;
	uint32_t function;
	/*
	 * After calls_name(): nr_lines elements of lines in struct calls, from this one
	 * on.
	 */
	size_t first_line;
	uint32_t nr_lines;
};

/*
 * A source line of a frame. A frame has the lines of the functions that were inlined
 * there, the innermost first, and then the line of its own function. It has at least one
 * line.
 */
struct calls_line {
	const char *name; /* the name to show; valid as long as *calls */
	const char *symbol;
	const char *path; /* "": no line is known */
	unsigned int line;
	unsigned int start; /* the line where the function is declared; 0: not known */
};

/*
 * A call stack: nr frames, the innermost first. Their numbers are in chains of struct
 * calls, from index first on.
 */
struct calls_stack {
	size_t first;
	uint32_t nr;
	uint64_t samples;
	uint64_t events; /* the number of events that the samples stand for */
};

/* More than the kernel keeps, unless its perf_event_max_stack is raised. */
enum { CALLS_MAX_FRAMES = 1024 };

struct calls {
	struct path_code *code;
	struct calls_frame *frames;
	size_t nr_frames, cap_frames;
	struct hash frame_index;
	struct calls_stack *stacks;
	size_t nr_stacks, cap_stacks;
	struct hash stack_index;
	uint32_t *chains;
	size_t nr_chains, cap_chains;
	struct calls_function *functions; /* set by calls_name() */
	size_t nr_functions;
	struct calls_line *lines;
	size_t nr_lines, cap_lines;
	struct img_demangler *demangler; /* NULL: symbols stay as they are */
	/* The event of the first sample, which must exist as long as *calls. NULL: no sample */
	const struct pd_attr *event;
	bool several_events; /* there are samples of an event with another name */
	uint64_t samples;
	/* those that tell their period, and the sum of their periods */
	uint64_t with_period, periods;
	/* samples of events without branch stacks, which are not counted */
	uint64_t others;
	/* samples without a call stack, or without an address in it */
	uint64_t without;
	struct calls_reach reach;
	/*
	 * samples of which the hart's call stack cannot be right; there may be more of which
	 * this is not known
	 */
	uint64_t wrong;
	/* samples whose outermost functions, beyond CALLS_MAX_FRAMES, are left out */
	uint64_t deeper;
};

/* Begin to count. code must exist as long as *calls. */
void calls_begin(struct calls *calls, struct path_code *code);

/* Count a sample. Returns false if out of memory. */
bool calls_count(struct calls *calls, const struct pd_event *ev);

/*
 * Find the functions of the frames. If demangle is set and this machine has a library for
 * it, C++ functions get their names in the source. Do not count more samples after this.
 * Returns false if out of memory.
 */
bool calls_name(struct calls *calls, bool demangle);

void calls_free(struct calls *calls);

/*
 * Write one line for each call stack: its functions, the outermost first, with ';'
 * between them, and the number of its samples. Each line is written once, in the order of
 * their bytes. Returns false if out of memory. Errors of writing are in ferror(file).
 */
bool calls_folded(const struct calls *calls, FILE *file);

/*
 * Write the protocol buffer that pprof reads, without compression: the samples, the
 * counts of the event, and a comment that pprof shows. Addresses are offsets in their
 * files. Returns false if out of memory. Errors of writing are in ferror(file).
 */
bool calls_pprof(const struct calls *calls, const char *comment, FILE *file);

#endif
