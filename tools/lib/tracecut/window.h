/* SPDX-License-Identifier: GPL-2.0-only */
/* Which instructions of a trace are cut out: windows, and filters within them. */
#ifndef TRACECUT_WINDOW_H
#define TRACECUT_WINDOW_H

#include "stf/stf.h"

enum tcut_place_kind {
	TCUT_NOWHERE = 0,
	TCUT_PC, /* an instruction at this PC */
	TCUT_OPCODE, /* one with this opcode, for example a marker */
	TCUT_EVENT, /* one whose group has an EVENT with this id */
};

struct tcut_place {
	enum tcut_place_kind kind;
	uint64_t value;
};

/*
 * What to take. Only instructions that pass the filters count in the other numbers,
 * except in start.
 */
struct tcut_windows {
	uint64_t start; /* the number of the first instruction in the trace */
	uint64_t limit; /* the most instructions of a window; 0: no limit */
	/*
	 * There is one window, unless one of these says where the next one begins: after
	 * so many instructions from the beginning of the one before, at each such
	 * instruction, or, if only the numbers of windows are given, directly after the
	 * one before.
	 */
	uint64_t every;
	struct tcut_place from;
	uint64_t first_window; /* 1 is the first; 0: all */
	uint64_t last_window; /* 0: there is no last one */
	struct tcut_place to; /* a window ends with such an instruction */

	/* The filters. */
	bool user; /* only instructions in user mode */
	bool by_hart, by_pid, by_tid; /* only those of this hart, ... */
	struct stf_process process;
};

/* Where the selection stands. Set all members to 0 first. */
struct tcut_progress {
	uint64_t windows; /* that have begun, also those that are not wanted */
	uint64_t taken; /* in this window so far */
	uint64_t since; /* instructions since the start */
	bool open; /* the last window goes on */
	/* So many more are taken whatever they are; the numbers above include them. */
	uint64_t sure;
};

enum tcut_verdict {
	TCUT_SKIP,
	TCUT_TAKE,
	TCUT_BEGIN, /* take it; it is the first of a window */
};

/* Returns whether the filters let an instruction pass. */
bool tcut_passes(const struct tcut_windows *windows, const struct stf_inst *inst);

/*
 * Decide about the next instruction that passes the filters, where no more are sure. Its
 * records are asked for if the place of a window depends on them, and can be asked for
 * again.
 */
enum tcut_verdict tcut_decide(const struct tcut_windows *windows,
			      struct tcut_progress *progress,
			      const struct stf_inst *inst,
			      struct stf_inst_iter *iter);

/* Returns whether a window can begin after the end of another one. */
bool tcut_repeats(const struct tcut_windows *windows);

/* Returns whether no later instruction can be taken. */
bool tcut_is_done(const struct tcut_windows *windows,
		  const struct tcut_progress *progress);

/* Returns whether the last window goes on and is one that is taken. */
bool tcut_is_inside(const struct tcut_windows *windows,
		    const struct tcut_progress *progress);

#endif
