/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stacks of a recording's samples, counted, in the forms that viewers read.
 *
 *	calls_begin(&calls, code);
 *	while (...)
 *		calls_count(&calls, &ev);
 *	calls_name(&calls, true);
 *	calls_folded(&calls, file);
 *	calls_free(&calls);
 *
 * A sample's call stack is the hart's own, where that was recorded (`--call-graph lbr`), with
 * the kernel's part by the kernel; or else what the kernel found by frame pointers (`-g`).
 */
#ifndef CALLS_H
#define CALLS_H

#include "base/hash.h"
#include "path/code.h"
#include "perfdata/perfdata.h"

#include <stdio.h>

/* A function, by the bytes from its start, or what is in none, as all of its binary. */
struct calls_function {
	const char *name; /* its symbol's, or the binary's */
	char *demangled; /* NULL: as the symbol is */
	const char *binary;
	bool known;
};

/* Where control is, or where it goes on when a call has returned. */
struct calls_frame {
	struct path_place at;
	uint32_t function;
};

/* Frames, the innermost first: nr numbers of struct calls.chains from first on. */
struct calls_stack {
	size_t first;
	uint32_t nr;
	uint64_t samples;
	uint64_t events; /* that the samples stand for */
};

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
	struct calls_function *functions; /* after calls_name() */
	size_t nr_functions;
	const char *event; /* of all that was counted; NULL: there are several, or no name */
	bool has_event;
	uint64_t samples;
	uint64_t without; /* of them: those that have no call stack, or none with an address */
};

/* code has to outlive *calls. */
void calls_begin(struct calls *calls, struct path_code *code);

/* Count a sample. False: out of memory. */
bool calls_count(struct calls *calls, const struct pd_event *ev);

/*
 * Find the frames' functions, with the names of the source if demangle is set and there is a
 * library for it. Nothing can be counted after it. False: out of memory.
 */
bool calls_name(struct calls *calls, bool demangle);

void calls_free(struct calls *calls);

/* A frame's function, as it is to be shown. */
const char *calls_frame_name(const struct calls *calls, uint32_t frame);

/*
 * One line a call stack: its functions, the outermost first, with ';' between them, and how
 * many samples had it; no line twice, in the order of their bytes. False: out of memory.
 * Errors of writing are the file's.
 */
bool calls_folded(const struct calls *calls, FILE *file);

/*
 * The protocol buffer that pprof reads, not compressed: samples, and what the event counted,
 * and a comment that pprof shows. Addresses are offsets in their files. False: out of memory.
 */
bool calls_pprof(const struct calls *calls, const char *comment, FILE *file);

#endif
