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

/* Where control is, or where a call was made. */
struct calls_frame {
	struct path_place at;
	uint32_t function;
	/* After calls_name(), of struct calls.lines: nr_lines from there on. */
	size_t first_line;
	uint32_t nr_lines;
};

/*
 * A frame's lines of source: of the functions that were inlined there, the innermost first, and
 * at last of the frame's function. There is one at least.
 */
struct calls_line {
	const char *name; /* to be shown; as long as *calls */
	const char *symbol;
	const char *path; /* "": no line is known */
	unsigned int line;
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
	struct calls_line *lines;
	size_t nr_lines, cap_lines;
	/* Demangled names of inlined functions, by the address of their symbols' names. */
	struct calls_name {
		const char *symbol;
		char *demangled; /* NULL: as the symbol is */
	} *names;
	size_t nr_names, cap_names;
	struct hash name_index;
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
