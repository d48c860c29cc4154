/* SPDX-License-Identifier: GPL-2.0-only */
/* The points of a recording that ssctr last shows. */
#ifndef SSCTR_LAST_H
#define SSCTR_LAST_H

#include "base/hash.h"
#include "console/steps.h"
#include "image/demangle.h"
#include "image/listing.h"
#include "last/steps.h"
#include "recording.h"
#include "riscv/rv_disasm.h"

#include <stdio.h>

struct last_shown {
	struct last_point point;
	uint32_t pid, tid;
	char comm[COMMS_NAME_SIZE];
	uint64_t ip; /* where the thread was */
	struct path_place function; /* of point.kernel_ip */
	struct last_steps steps;
	bool by_probe; /* a probe at a return has killed it */
	const struct con_report *report; /* of the log of a kernel; NULL: a recording's point */
	struct con_left left; /* of the report */
};

struct last_process {
	uint32_t pid;
	bool ended;
};

struct last {
	struct rec rec;
	struct path *path;
	struct img_demangler *demangler; /* NULL: symbols are shown */
	struct img_listing *listing;
	struct rv_disasm *disasm; /* NULL: opcodes must do */
	uint64_t limit; /* points to show */
	uint64_t depth; /* most branches of each */
	struct last_shown *v; /* in the order of time */
	size_t nr, cap;
	uint64_t others; /* points that are not shown because of the limit */
	bool by_probe; /* one of the points, shown or not, is */
	/* Those that had an end, found by their pid. */
	struct hash by_pid;
	struct last_process *processes;
	size_t cap_processes;
	/* The log that is read instead of a recording, and its functions. */
	struct con_log log;
	struct con_names *names; /* NULL: a recording is read */
};

/* Read the recording's points, of which limit stay. Returns CMD_OK, or an exit status. */
int last_read_points(struct last *last);

/* Read the log of a kernel that died in place of a recording. Otherwise the same. */
int last_read_log(struct last *last, const char *path);

/* Tell on standard error which functions of the log no file has. */
void last_tell_files(const struct last *last);

/* Returns how many points, and records of mappings and processes, the recording has lost. */
uint64_t last_lost(const struct last *last);

/*
 * Add notes of what a recording lacks, and of files that could not be used, for all forms. Of
 * a log there are none.
 */
void last_note(const struct last *last, struct notes *notes);

/* Write what a report lacks in sentences. Returns how many these are. */
struct last_sentence {
	char text[256];
};
size_t last_lacks(const struct last_shown *shown, struct last_sentence sentences[2]);

/*
 * The address of a step's pc, last or to. Returns false if only the name of its function is
 * known.
 */
bool last_address(const struct last *last, uint64_t pc, uint64_t *addr);

/* A place, for people. The texts are valid as long as the recording, but for function. */
struct last_where {
	/* "main+0x12"; NULL: out of memory. The caller frees it. */
	char *function;
	/*
	 * In a kernel's log: the functions that were inlined there, the innermost first,
	 * such as "a in b". "" means none.
	 */
	char inlined[256];
	const char *binary;
	const char *path; /* the source file; NULL: not known */
	unsigned int line;
};

struct last_where last_where(const struct last *last, const struct path_place *place);

/* What the source file of a place was when it was built. Returns false if nothing tells. */
bool last_built(const struct last *last, const struct path_place *place, struct img_built *built);

/* The instruction at a place, to be freed. NULL: not known. */
char *last_insn(const struct last *last, const struct path_place *place, uint64_t pc);

/* Who and what: "crash[12]: killed by SIGSEGV: ...". To be freed; NULL: out of memory. */
char *last_title(const struct last *last, const struct last_shown *shown);

/* What a step did in the end: "calls", "returns", ... */
const char *last_end_text(const struct last_shown *shown, const struct last_step *step,
			  char *text, size_t size);

/* "list.c:10-12", "list.c:10", or "" where no line is known. Returns text. */
const char *last_lines(const struct last *last, const struct last_step *step, char *text,
		       size_t size);

/* All that is shown, in the three forms. last_html() returns as page_write(). */
void last_text(const struct last *last);
void last_json(const struct last *last);
int last_html(struct last *last, const char *path);

#endif
