/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of a trace, whichever its form: Spike's CSV or STF. */
#ifndef CSV_INSN_TRACE_H
#define CSV_INSN_TRACE_H

#include "csv/insn_data.h"

/* An instruction, or one at which a trap is taken: then it does not retire. */
struct traced_insn {
	uint64_t pc;
	uint64_t target; /* if has_target: where it leads by the trace itself */
	uint64_t cause; /* of a trap, without the bit of interrupts */
	uint64_t tval; /* of a trap; 0 where it is not told */
	uint32_t opcode;
	uint8_t size; /* bytes: 2 or 4 */
	uint8_t mode; /* enum stf_mode: 0 U, 1 S, 2 HS, 3 M, or the trace's own */
	bool trap;
	bool interrupt; /* together with trap */
	bool has_target;
	bool trap_target; /* has_target, and it is the trap's */
	bool marked; /* has_target is set for all branches that are taken */
	bool jumped_in; /* it may not follow from the one before */
	/* Where find_data is set, of a trace in STF: */
	struct insn_data data;
	struct insn_data_found found;
};

/*
 * The field of an event that holds TVAL: the target's address, where the
 * specification's table has one, and the one behind what it demands of an illegal
 * instruction.
 */
enum { INSN_TVAL = 2, INSN_TVAL_ILLEGAL = 3 };

static inline unsigned int insn_tval_field(uint64_t event)
{
	return event == STF_FAULT_ILLEGAL_INST ? INSN_TVAL_ILLEGAL : INSN_TVAL;
}

struct insn_trace {
	const char *path;
	bool is_csv;
	/* To be changed before the first instruction, if at all. */
	bool rv32; /* a hart with 32 bits; STF says so, a CSV does not */
	bool find_data; /* look for what the instructions read and write */
	uint8_t mode; /* enum stf_mode, of those of which STF does not tell it */
	/* After insn_trace_next(): */
	const struct traced_insn *insn;
	const struct traced_insn *next; /* the one after it; NULL: there is none */
	int more; /* 1, or why there is none: 0 at the end, or ERROR_* */
	/* The rest is the trace's own. */
	bool begun;
	struct error *error;
	struct csv_reader *csv;
	struct stf_reader *stf;
	struct stf_inst_iter *iter;
	struct traced_insn insns[2];
};

/*
 * Open a trace by its first bytes; "-" is standard input, which has to be STF. What
 * goes wrong, here and later, is told by *error; that and the path have to outlive the
 * trace. Returns 0 or ERROR_*; then there is nothing to close.
 */
int insn_trace_open(struct insn_trace *trace, const char *path,
		    struct error *error);

/*
 * The next instruction: 1, 0 at the end, or ERROR_* with a text. An error in the one
 * after it is not returned before its turn.
 */
int insn_trace_next(struct insn_trace *trace);

void insn_trace_close(struct insn_trace *trace);

#endif
