/* SPDX-License-Identifier: GPL-2.0-only */
/* In what two instructions and their records can differ. */
#ifndef TRACECMP_KIND_H
#define TRACECMP_KIND_H

#include "tracecmp/queue.h"

enum tcmp_kind {
	TCMP_HEADER = 1 << 0, /* its records, without the origin and processes */
	TCMP_PC = 1 << 1,
	TCMP_OPCODE = 1 << 2,
	TCMP_TARGETS = 1 << 3, /* INST_PC_TARGET */
	TCMP_EVENTS = 1 << 4, /* EVENT, but MODE_CHANGE, and EVENT_PC_TARGET */
	TCMP_MODES = 1 << 5, /* the mode of an instruction */
	TCMP_PROCESSES = 1 << 6, /* the hart, process or thread of an instruction */
	TCMP_MEMORY = 1 << 7, /* accesses of the hart, and their contents */
	TCMP_BUS = 1 << 8, /* accesses of other bus masters */
	TCMP_REGISTERS = 1 << 9, /* INST_REG and INST_READY_REG */
	TCMP_WALKS = 1 << 10, /* PAGE_TABLE_WALK */
	TCMP_MICROOPS = 1 << 11, /* INST_MICROOP */
	TCMP_COMMENTS = 1 << 12, /* COMMENT and TRACE_INFO: where a trace comes from */
	TCMP_N_KINDS = 13,
};

/* Returns the name of a kind, for example "memory". i is the number of its bit. */
const char *tcmp_kind_name(unsigned int i);

/* Returns whether two records are equal, with all that they point to. */
bool tcmp_same_record(const struct stf_record *a, const struct stf_record *b);

/* An instruction beside another one. Set all members that are not named to 0. */
struct tcmp_beside {
	const struct tcmp_inst *own, *other;
	/* Up to where their records were compared; in the other one, by the bit of the kind. */
	size_t i, at[TCMP_N_KINDS];
};

/*
 * Returns the next of its own records that is of one of these kinds, and that the other
 * instruction does not have at the same place among those of the kind. NULL: there is none.
 * kinds are the same in each call.
 */
const struct stf_record *tcmp_next_differing(struct tcmp_beside *beside,
					     unsigned int kinds);

/*
 * Returns the kinds in which two instructions differ, or both ends of two traces, without
 * those to ignore.
 */
unsigned int tcmp_differ(const struct tcmp_inst *a, const struct tcmp_inst *b,
			 unsigned int ignore);

#endif
