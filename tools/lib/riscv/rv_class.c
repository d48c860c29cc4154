// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_class.h"

#include <stddef.h>

#include "riscv/rv_insn.h"

/* Bits hi to lo of word, at the bottom. */
static inline uint32_t bits(uint32_t word, unsigned int hi, unsigned int lo)
{
	return word >> lo & ((2u << (hi - lo)) - 1);
}

/* What may be a transfer, and else is of class `else_class`. */
static enum rv_class transfer(uint32_t word, unsigned int flags,
			      enum rv_class else_class)
{
	struct rv_insn insn;

	if (rv_decode_word(&insn, word, flags) < 0)
		return RV_CLASS_OTHER;
	if (rv_is_call(&insn))
		return RV_CLASS_CALL;
	switch (insn.xfer) {
	case RV_XFER_BRANCH:
		return RV_CLASS_BRANCH;
	case RV_XFER_RETURN:
		return RV_CLASS_RETURN;
	case RV_XFER_EXCEPTION:
	case RV_XFER_TRAP_RETURN:
		return RV_CLASS_SYSTEM;
	case RV_XFER_NONE:
		return else_class;
	}
	return RV_CLASS_JUMP;
}

/* LOAD-FP and STORE-FP: widths 1 to 4 are scalar, the others vectors. */
static enum rv_class float_memory(uint32_t word, enum rv_class scalar)
{
	unsigned int width = bits(word, 14, 12);

	return width >= 1 && width <= 4 ? scalar : RV_CLASS_VECTOR;
}

static enum rv_class class_32(uint32_t word, unsigned int flags)
{
	switch (bits(word, 6, 0)) {
	case 0x03:
		return RV_CLASS_LOAD;
	case 0x07:
		return float_memory(word, RV_CLASS_LOAD);
	case 0x23:
		return RV_CLASS_STORE;
	case 0x27:
		return float_memory(word, RV_CLASS_STORE);
	case 0x0f:
		return RV_CLASS_FENCE;
	case 0x2f:
		return RV_CLASS_ATOMIC;
	case 0x13: /* OP-IMM */
	case 0x17: /* AUIPC */
	case 0x1b: /* OP-IMM-32 */
	case 0x37: /* LUI */
		return RV_CLASS_INTEGER;
	case 0x33: /* OP */
	case 0x3b: /* OP-32 */
		return bits(word, 31, 25) == 1 ? RV_CLASS_MULTIPLY :
						 RV_CLASS_INTEGER;
	case 0x43: /* FMADD */
	case 0x47: /* FMSUB */
	case 0x4b: /* FNMSUB */
	case 0x4f: /* FNMADD */
	case 0x53: /* OP-FP */
		return RV_CLASS_FLOAT;
	case 0x57: /* OP-V */
	case 0x77: /* OP-VE */
		return RV_CLASS_VECTOR;
	case 0x73:
		return RV_CLASS_SYSTEM;
	}
	return transfer(word, flags, RV_CLASS_OTHER);
}

/* Zcb: c.lbu, c.lhu and c.lh, c.sb, c.sh. */
static enum rv_class zcb_memory(uint32_t word)
{
	switch (bits(word, 12, 10)) {
	case 0:
	case 1:
		return RV_CLASS_LOAD;
	case 2:
	case 3:
		return RV_CLASS_STORE;
	}
	return RV_CLASS_OTHER;
}

/* The case is funct3 and the quadrant, bits 15:13 and 1:0. */
static enum rv_class class_16(uint32_t word, unsigned int flags)
{
	unsigned int funct3 = bits(word, 15, 13);

	switch (bits(word, 1, 0)) {
	case 0:
		if (funct3 == 4)
			return zcb_memory(word);
		if (funct3)
			return funct3 < 4 ? RV_CLASS_LOAD : RV_CLASS_STORE;
		break; /* c.addi4spn, or all 0s */
	case 1:
		/* 100111 x 10: c.mul of Zcb. */
		if (bits(word, 15, 10) == 0x27 && bits(word, 6, 5) == 2)
			return RV_CLASS_MULTIPLY;
		break;
	case 2:
		if (funct3 == 5 && flags & RV_ZCM)
			return transfer(word, flags, RV_CLASS_OTHER);
		if (funct3 && funct3 != 4)
			return funct3 < 4 ? RV_CLASS_LOAD : RV_CLASS_STORE;
		break; /* c.slli; c.jr, c.mv, c.add and the like */
	}
	return transfer(word, flags, RV_CLASS_INTEGER);
}

enum rv_class rv_class(uint32_t word, unsigned int flags)
{
	return rv_insn_size((uint16_t)word) == 2 ?
		       class_16((uint16_t)word, flags) : class_32(word, flags);
}

const char *rv_class_name(unsigned int class)
{
	static const char *const names[RV_N_CLASSES] = {
		[RV_CLASS_INTEGER] = "integer",
		[RV_CLASS_MULTIPLY] = "multiply",
		[RV_CLASS_LOAD] = "load",
		[RV_CLASS_STORE] = "store",
		[RV_CLASS_ATOMIC] = "atomic",
		[RV_CLASS_FLOAT] = "float",
		[RV_CLASS_VECTOR] = "vector",
		[RV_CLASS_BRANCH] = "branch",
		[RV_CLASS_JUMP] = "jump",
		[RV_CLASS_CALL] = "call",
		[RV_CLASS_RETURN] = "return",
		[RV_CLASS_FENCE] = "fence",
		[RV_CLASS_SYSTEM] = "system",
		[RV_CLASS_OTHER] = "other",
	};

	return class < RV_N_CLASSES ? names[class] : NULL;
}
