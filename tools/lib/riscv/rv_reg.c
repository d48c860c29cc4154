// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_reg.h"

#include <stdbool.h>

static int64_t sign_extend(uint32_t v, unsigned int bits)
{
	return (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
}

/* Registers 8 to 15, by a field of three bits. */
static bool is_short(uint32_t opcode, unsigned int at, unsigned int reg)
{
	return reg == 8 + (opcode >> at & 7);
}

static enum rv_effect compressed(uint32_t opcode, unsigned int reg,
				 int64_t *value)
{
	const unsigned int funct3 = opcode >> 13 & 7, rd = opcode >> 7 & 31;
	const uint32_t imm = (opcode >> 12 & 1) << 5 | (opcode >> 2 & 31);

	switch (opcode & 3) {
	case 0: /* loads, and the address of a local variable */
		return funct3 < 5 && is_short(opcode, 2, reg) ? RV_CHANGES :
								RV_KEEPS;
	case 1:
		if (funct3 == 4) /* arithmetic */
			return is_short(opcode, 7, reg) ? RV_CHANGES : RV_KEEPS;
		if (funct3 > 4) /* c.j, c.beqz, c.bnez */
			return RV_KEEPS;
		if (rd != reg)
			return RV_KEEPS;
		if (funct3 == 2)
			*value = sign_extend(imm, 6);
		else if (funct3 == 3 && rd != 2)
			*value = sign_extend(imm << 12, 18);
		else
			return RV_CHANGES;
		return RV_SETS;
	default:
		if (funct3 == 4 && !(opcode >> 2 & 31)) /* c.jr, c.jalr */
			return opcode >> 12 & 1 && reg == 1 ? RV_CHANGES :
							      RV_KEEPS;
		/* c.slli, loads from the stack, c.mv, c.add */
		return funct3 < 5 && rd == reg ? RV_CHANGES : RV_KEEPS;
	}
}

enum rv_effect rv_effect_on(uint32_t opcode, unsigned int size,
			    unsigned int reg, int64_t *value)
{
	enum { LOAD_FP = 0x07, STORE = 0x23, STORE_FP = 0x27, BRANCH = 0x63,
	       OP_IMM = 0x13, LUI = 0x37 };
	const unsigned int major = opcode & 0x7f;
	const uint32_t addi_of_zero = 0xff000; /* rs1 and funct3: all clear */

	if (size == 2)
		return compressed(opcode, reg, value);
	if ((opcode >> 7 & 31) != reg || major == LOAD_FP || major == STORE ||
	    major == STORE_FP || major == BRANCH)
		return RV_KEEPS;
	if (major == OP_IMM && !(opcode & addi_of_zero))
		*value = sign_extend(opcode >> 20, 12);
	else if (major == LUI)
		*value = sign_extend(opcode & 0xfffff000, 32);
	else
		return RV_CHANGES;
	return RV_SETS;
}
