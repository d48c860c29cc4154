/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers that an instruction reads and writes, as its opcode names them. */
#ifndef RISCV_RV_OPERANDS_H
#define RISCV_RV_OPERANDS_H

#include <stdint.h>

/* The number of the first register of a kind. x0 is never an operand. */
enum {
	RV_OPERAND_X = 0, /* integer registers: 1 to 31 */
	RV_OPERAND_F = 32, /* floating-point registers: 32 to 63 */
	RV_OPERAND_V = 64, /* vector registers: 64 to 95 */
};

struct rv_operands {
	uint8_t n_sources;
	uint8_t n_dests;
	uint8_t sources[4];
	uint8_t dests[1];
};

/*
 * Returns the operands of an opcode of size bytes, 2 or 4. flags is RV_RV32 or 0. CSRs, pc,
 * vl and vtype are left out, and so are the further registers of a group of vector
 * registers and of a pair. A vector register is no source if vtype alone tells whether
 * its tail or masked elements stay. An opcode that is not known has no operands.
 */
struct rv_operands rv_operands(uint32_t opcode, unsigned int size,
			       unsigned int flags);

#endif
