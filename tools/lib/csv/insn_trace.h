/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of a trace in either form: Spike's CSV or STF. */
#ifndef CSV_INSN_TRACE_H
#define CSV_INSN_TRACE_H

#include "csv/insn_data.h"
#include "origin/coverage.h"
#include "stats/harts.h"

/* An instruction. If a trap is taken at it, it does not retire. */
struct traced_insn {
	uint64_t pc;
	/* if has_target is set: the PC that the trace tells after it */
	uint64_t target;
	uint64_t cause; /* of a trap, without the bit of interrupts */
	uint64_t tval; /* of a trap; 0 if the trace does not tell it */
	uint32_t opcode;
	uint8_t size; /* bytes: 2 or 4 */
	/* enum stf_mode: 0 U, 1 S, 2 HS, 3 M, or another number of the trace */
	uint8_t mode;
	bool trap;
	bool interrupt; /* then trap is set, too */
	bool has_target;
	/* has_target is set, and it is the target of the trap */
	bool trap_target;
	/*
	 * The trace tells that the instruction is a branch that was taken. If there is a
	 * trap, too, jump_target is where the branch led. With trap_target, the trap came
	 * behind it.
	 */
	bool jumped;
	uint64_t jump_target;
	bool marked; /* has_target is set for all taken branches */
	bool jumped_in; /* the instruction before may not lead to it */
	/* If find_data is set and the trace is an STF: */
	struct insn_data data;
	struct insn_data_found found;
};

/*
 * The number of the field of an event that contains TVAL. It is the field of the target's
 * address, where the table of the specification has one. For an illegal instruction, it
 * is the field after those that the specification requires.
 */
enum { INSN_TVAL = 2, INSN_TVAL_ILLEGAL = 3 };

static inline unsigned int insn_tval_field(uint64_t event)
{
	return event == STF_FAULT_ILLEGAL_INST ? INSN_TVAL_ILLEGAL : INSN_TVAL;
}

struct insn_trace {
	const char *path;
	bool is_csv;
	/* The caller can change these before the first instruction. */
	bool rv32; /* a hart with 32 bits; STF tells it, a CSV does not */
	bool find_data; /* search for what the instructions read and write */
	/* The enum stf_mode of instructions whose mode STF does not tell. */
	uint8_t mode;
	/* After insn_trace_next(): */
	const struct traced_insn *insn;
	/* the instruction after it; NULL: there is none */
	const struct traced_insn *next;
	/* 1, or why there is no instruction: 0 at the end, or ERROR_* */
	int more;
	/*
	 * Of an STF, after the last instruction: how many there are, how often one is not
	 * where the one before it leads, and what the trace tells of its coverage.
	 */
	uint64_t insns_read, gaps;
	struct origin_coverage coverage;
	/* Of an STF: traps at an instruction that has one already. They are in no insn. */
	uint64_t further_traps;
	/* Of an STF: the changes from one thread or process to another. */
	struct stats_turns turns;
	/* The other members are only for the functions below. */
	bool begun;
	bool once; /* a pipe */
	struct error *error;
	struct csv_reader *csv;
	struct stf_reader *stf;
	struct stf_inst_iter *iter;
	struct stats_harts harts;
	struct traced_insn insns[2];
};

/*
 * Open a trace. Its first bytes tell its form. "-" is standard input, which must be STF.
 * *error gets the text of all errors, now and later. error and path must exist as long as
 * the trace. Returns 0 or ERROR_*. On an error, there is nothing to close.
 */
int insn_trace_open(struct insn_trace *trace, const char *path,
		    struct error *error);

/*
 * Read the next instruction. Returns 1, 0 at the end, or ERROR_* with a text. An error in
 * the instruction after it is returned by the next call. Instructions of several harts are
 * an error, unless they are of one thread.
 */
int insn_trace_next(struct insn_trace *trace);

void insn_trace_close(struct insn_trace *trace);

#endif
