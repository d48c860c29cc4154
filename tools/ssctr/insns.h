/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions of a trace, whichever its form: Spike's CSV or STF. */
#ifndef SSCTR_INSNS_H
#define SSCTR_INSNS_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "stf/stf.h"

/* An instruction, or one at which a trap is taken: then it does not retire. */
struct insn {
	uint64_t pc;
	uint64_t target; /* if has_target: where it leads by the trace itself */
	uint64_t cause; /* of a trap, without the bit of interrupts */
	uint64_t tval; /* of a trap; 0 where it is not told */
	uint32_t opcode;
	uint8_t size; /* bytes: 2 or 4 */
	uint8_t mode; /* enum stf_mode: 0 U, 1 S, 2 HS, 3 M */
	bool trap;
	bool interrupt; /* together with trap */
	bool has_target;
	bool trap_target; /* has_target, and it is the trap's */
	bool marked; /* has_target is set for all branches that are taken */
	bool jumped_in; /* it may not follow from the one before */
	/* After insns_find_data(), of a trace in STF: */
	struct access access;
	struct access_found found;
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

struct insns;

/*
 * Open a trace by its first bytes; "-" is standard input, which has to be STF.
 * NULL with one line of text in error, of size bytes, if that is not possible.
 */
struct insns *insns_open(const char *path, char *error, unsigned int size);

bool insns_is_csv(const struct insns *insns);

/* A hart with 32 bits. STF says so; for a CSV, tell it before the first one. */
bool insns_rv32(const struct insns *insns);
void insns_set_rv32(struct insns *insns);

/* Look for what each instruction of an STF trace reads and writes. */
void insns_find_data(struct insns *insns);

/* The next: 1, 0 at the end, negative with insns_error(). */
int insns_next(struct insns *insns, struct insn *insn);

/* What is wrong, in one line; never NULL. */
const char *insns_error(const struct insns *insns);

/* NULL is allowed. */
void insns_close(struct insns *insns);

#endif
