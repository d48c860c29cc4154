/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of an STF trace as a trace of its own.
 *
 * The records of the instructions that are taken are copied. Before the first one of a
 * window comes what a reader must know there and the records before told: the PC, the
 * process, the mode and the registers.
 */
#ifndef TRACECUT_TRACECUT_H
#define TRACECUT_TRACECUT_H

#include "base/error.h"
#include "stf/stf.h"

/* Records that can be left out. */
enum tcut_drop {
	/*
	 * All but MODE_CHANGE, with the instructions that did not execute because of them
	 * (stats/executed.h). The PC is then told where an event led elsewhere.
	 */
	TCUT_DROP_EVENTS = 1 << 0,
	TCUT_DROP_MODES = 1 << 1, /* MODE_CHANGE */
	TCUT_DROP_MEMORY = 1 << 2, /* accesses of the hart */
	TCUT_DROP_BUS = 1 << 3, /* accesses of other bus masters */
	TCUT_DROP_REGISTERS = 1 << 4,
	TCUT_DROP_WALKS = 1 << 5, /* PAGE_TABLE_WALK */
	TCUT_DROP_MICROOPS = 1 << 6,
	TCUT_DROP_COMMENTS = 1 << 7, /* those after the header */
	TCUT_DROP_PROCESSES = 1 << 8, /* PROCESS_ID_EXT */
	/*
	 * EVENT_PC_TARGET; also set for events. If only user mode is taken, a target in
	 * another mode becomes the place where user mode goes on.
	 */
	TCUT_DROP_TARGETS = 1 << 9,
};

struct tcut_opts {
	/* What to take. PC ranges and single modes other than user mode are filters, too. */
	struct stf_select_opts windows;
	unsigned int drop; /* enum tcut_drop */
	/*
	 * Read no more of a .zstf than one chunk before the start, even if the state at
	 * the start is not known then. Otherwise, all is read from the beginning if this
	 * chunk does not tell the mode or the process, or if the trace has registers.
	 */
	bool near;
	const char *const *comments; /* more for the header; NULL after the last one */
	const char *isa; /* the ISA_EXTENDED; NULL: that of the trace */
	unsigned int event_bits; /* as in struct stf_reader_opts, for the old trace */
};

/* What became of it. Set all members to 0 first. */
struct tcut_result {
	uint64_t windows; /* written ones */
	uint64_t instructions; /* written ones */
	/*
	 * The last window was open when the trace ended, although it has a limit or a
	 * place at which it ends.
	 */
	bool ended_inside;
	/* With `near`: what was read does not tell this, and more of the trace may. */
	bool no_mode, no_process, no_registers;
};

/*
 * Write the part that opts ask for. The reader is at the start of the trace, and the
 * writer at the start of the new one. Both belong to the caller, who closes them. Returns
 * 0. Otherwise returns
 *	ERROR_NOMEM
 *	ERROR_INPUT	the trace cannot be read, or consists of transactions
 *	ERROR_OUTPUT	the new trace cannot be written
 *	ERROR_NOTHING	no instruction is in the part; nothing was written
 */
int tcut_run(const struct tcut_opts *opts, struct stf_reader *reader,
	     struct stf_writer *writer, struct tcut_result *result,
	     struct error *error);

/*
 * Count the instructions that the filter lets pass, but at most this many, in a trace whose
 * reader is at its start. Without a filter, which is NULL then, use the index of a .zstf if
 * there is one. *end gets the number of the instruction behind the last one that was counted.
 * The reader is of no more use then. Returns 0, ERROR_NOMEM or ERROR_INPUT.
 */
int tcut_count(struct stf_reader *reader, const struct stf_select *filter, uint64_t most,
	       uint64_t *instructions, uint64_t *end, struct error *error);

#endif
