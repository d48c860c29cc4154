// SPDX-License-Identifier: GPL-2.0-only
#include "ctr_cause.h"

/* "RVC Instruction Set Listings": quadrants 0 and 2 hold the loads and stores. */
static enum ctr_cause cause_of_compressed(__u16 insn)
{
	unsigned int funct3 = insn >> 13;

	if (insn == 0x9002)	/* c.ebreak */
		return CTR_CAUSE_BREAKPOINT;
	if (!insn)		/* defined to be illegal */
		return CTR_CAUSE_UNKNOWN;
	switch (insn & 3) {
	case 0:			/* all but c.addi4spn; with Zcb, c.lbu and others */
		return funct3 ? CTR_CAUSE_DATA : CTR_CAUSE_FETCH;
	case 2:			/* c.slli and c.mv, c.add, c.jr, c.jalr are none */
		return funct3 & 3 ? CTR_CAUSE_DATA : CTR_CAUSE_FETCH;
	default:
		return CTR_CAUSE_FETCH;
	}
}

enum ctr_cause ctr_cause_of(__u32 insn)
{
	if ((insn & 3) != 3)
		return cause_of_compressed(insn & 0xffff);
	if (insn == 0x00000073)
		return CTR_CAUSE_ECALL;
	if (insn == 0x00100073)
		return CTR_CAUSE_BREAKPOINT;

	/* "RISC-V base opcode map" */
	switch (insn >> 2 & 0x1f) {
	case 0x01:		/* LOAD-FP */
	case 0x09:		/* STORE-FP */
		/* The other widths are the vector's, whose first use traps. */
		return (insn >> 12 & 7) - 1 < 4 ? CTR_CAUSE_DATA :
						  CTR_CAUSE_UNKNOWN;
	case 0x00:		/* LOAD */
	case 0x08:		/* STORE */
	case 0x0b:		/* AMO */
		return CTR_CAUSE_DATA;
	case 0x04:		/* OP-IMM */
	case 0x05:		/* AUIPC */
	case 0x06:		/* OP-IMM-32 */
	case 0x0c:		/* OP */
	case 0x0d:		/* LUI */
	case 0x0e:		/* OP-32 */
	case 0x18:		/* BRANCH */
	case 0x19:		/* JALR */
	case 0x1b:		/* JAL */
		return CTR_CAUSE_FETCH;
	default:
		return CTR_CAUSE_UNKNOWN;
	}
}
