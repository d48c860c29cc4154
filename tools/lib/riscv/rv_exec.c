// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_exec.h"

enum { X_RA = 1, X_SP = 2, X_A0 = 10 };

static uint32_t bits(uint32_t v, unsigned int high, unsigned int low)
{
	return v >> low & ((1u << (high - low + 1)) - 1);
}

static uint64_t sign(uint64_t v, unsigned int nr)
{
	return (uint64_t)((int64_t)(v << (64 - nr)) >> (64 - nr));
}

static void forget(struct rv_regs *regs, unsigned int rd)
{
	regs->known &= ~(1u << rd) | 1;
}

static void set(struct rv_regs *regs, unsigned int rd, uint64_t value)
{
	if (!rd)
		return;
	regs->x[rd] = value;
	regs->known |= 1u << rd;
}

static bool known(const struct rv_regs *regs, unsigned int a, unsigned int b)
{
	return (regs->known | 1) >> a & (regs->known | 1) >> b & 1;
}

/* What OP and OP-IMM do, by funct3; alt: subtract, or shift arithmetically. */
static uint64_t compute(unsigned int funct3, bool alt, uint64_t a, uint64_t b)
{
	switch (funct3) {
	case 0:
		return alt ? a - b : a + b;
	case 1:
		return a << (b & 63);
	case 2:
		return (int64_t)a < (int64_t)b;
	case 3:
		return a < b;
	case 4:
		return a ^ b;
	case 5:
		return alt ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63);
	case 6:
		return a | b;
	default:
		return a & b;
	}
}

/* The same of words. False: there is no such. */
static bool compute_word(unsigned int funct3, bool alt, uint64_t a, uint64_t b,
			 uint64_t *value)
{
	if (funct3 == 0)
		*value = alt ? a - b : a + b;
	else if (funct3 == 1)
		*value = a << (b & 31);
	else if (funct3 == 5)
		*value = alt ? (uint64_t)((int32_t)a >> (b & 31)) :
			       (uint32_t)a >> (b & 31);
	else
		return false;
	*value = sign(*value, 32);
	return true;
}

/* rd = rs1 with b, of which only the shifts and subtractions have another form. */
static void operate(struct rv_regs *regs, unsigned int rd, unsigned int rs1,
		    uint64_t b, unsigned int funct3, bool alt, bool word)
{
	const uint64_t a = rs1 ? regs->x[rs1] : 0;
	uint64_t value;

	if (!word)
		set(regs, rd, compute(funct3, alt, a, b));
	else if (compute_word(funct3, alt, a, b, &value))
		set(regs, rd, value);
	else
		forget(regs, rd);
}

/* OP, OP-32: those of the base, and M's product. */
static void execute_op(struct rv_regs *regs, uint32_t w, bool word)
{
	const unsigned int rd = bits(w, 11, 7), rs1 = bits(w, 19, 15),
			   rs2 = bits(w, 24, 20), funct3 = bits(w, 14, 12),
			   funct7 = w >> 25;
	const uint64_t b = rs2 ? regs->x[rs2] : 0;

	if (!known(regs, rs1, rs2))
		forget(regs, rd);
	else if (!funct7 || (funct7 == 0x20 && (!funct3 || funct3 == 5)))
		operate(regs, rd, rs1, b, funct3, funct7, word);
	else if (funct7 == 1 && !funct3)
		set(regs, rd,
		    sign((rs1 ? regs->x[rs1] : 0) * b, word ? 32 : 64));
	else
		forget(regs, rd);
}

static void execute_imm(struct rv_regs *regs, uint32_t w, bool word)
{
	const unsigned int rd = bits(w, 11, 7), rs1 = bits(w, 19, 15),
			   funct3 = bits(w, 14, 12);
	const bool shifts = funct3 == 1 || funct3 == 5;
	const unsigned int above = w >> (word ? 25 : 26) << (word ? 0 : 1);

	if (!known(regs, rs1, 0) ||
	    (shifts && above && (funct3 == 1 || above != 0x20)))
		forget(regs, rd);
	else
		operate(regs, rd, rs1,
			shifts ? bits(w, 25, 20) : sign(w >> 20, 12), funct3,
			shifts && above, word);
}

static void execute_32(struct rv_regs *regs, uint64_t pc, uint32_t w)
{
	enum {
		LOAD_FP = 0x07,
		CUSTOM_0 = 0x0b,
		MISC_MEM = 0x0f,
		OP_IMM = 0x13,
		AUIPC = 0x17,
		OP_IMM_32 = 0x1b,
		STORE = 0x23,
		STORE_FP = 0x27,
		CUSTOM_1 = 0x2b,
		AMO = 0x2f,
		OP = 0x33,
		LUI = 0x37,
		OP_32 = 0x3b,
		CUSTOM_2 = 0x5b,
		BRANCH = 0x63,
		JALR = 0x67,
		JAL = 0x6f,
		SYSTEM = 0x73,
		CUSTOM_3 = 0x7b
	};
	const unsigned int rd = bits(w, 11, 7);

	switch (w & 0x7f) {
	case LOAD_FP:
	case MISC_MEM:
	case STORE:
	case STORE_FP:
	case BRANCH:
		return;
	case OP_IMM:
	case OP_IMM_32:
		execute_imm(regs, w, (w & 0x7f) == OP_IMM_32);
		return;
	case OP:
	case OP_32:
		execute_op(regs, w, (w & 0x7f) == OP_32);
		return;
	case LUI:
		set(regs, rd, sign(w & 0xfffff000, 32));
		return;
	case AUIPC:
		set(regs, rd, pc + sign(w & 0xfffff000, 32));
		return;
	case JAL:
	case JALR:
		set(regs, rd, pc + 4);
		return;
	case AMO: /* amocas.q has a pair */
		forget(regs, rd | 1);
		break;
	case CUSTOM_0:
	case CUSTOM_1:
	case CUSTOM_2:
	case CUSTOM_3:
		regs->known = 0;
		return;
	case SYSTEM:
		/* A system call has its result there. */
		if (w == 0x73)
			forget(regs, X_A0);
		else if (!bits(w, 14, 12))
			regs->known = 0;
	}
	forget(regs, rd);
}

/* c.srli, c.srai, c.andi, and those of two registers. */
static void execute_c_alu(struct rv_regs *regs, uint32_t w, uint64_t imm)
{
	static const uint8_t funct3[] = { 0, 4, 6, 7 };
	const unsigned int rd = 8 + bits(w, 9, 7), rs2 = 8 + bits(w, 4, 2),
			   which = bits(w, 6, 5);
	const bool word = w >> 12 & 1;

	switch (bits(w, 11, 10)) {
	case 0:
	case 1:
		if (known(regs, rd, 0))
			operate(regs, rd, rd, imm & 63, 5, w >> 10 & 1, false);
		return;
	case 2:
		if (known(regs, rd, 0))
			operate(regs, rd, rd, imm, 7, false, false);
		return;
	}
	if (!known(regs, rd, rs2) || (word && which > 1))
		forget(regs, rd);
	else if (word)
		operate(regs, rd, rd, regs->x[rs2], 0, !which, true);
	else
		operate(regs, rd, rd, regs->x[rs2], funct3[which], !which,
			false);
}

/* c.jr, c.mv, c.jalr, c.add, c.ebreak */
static void execute_cr(struct rv_regs *regs, uint64_t pc, uint32_t w)
{
	const unsigned int rd = bits(w, 11, 7), rs2 = bits(w, 6, 2);
	const bool adds = w >> 12 & 1;

	if (!rs2 && adds && rd)
		set(regs, X_RA, pc + 2);
	else if (!rs2 && adds)
		regs->known = 0;
	else if (!rs2)
		return;
	else if (!known(regs, rs2, adds ? rd : 0))
		forget(regs, rd);
	else
		set(regs, rd, regs->x[rs2] + (adds ? regs->x[rd] : 0));
}

static void execute_16(struct rv_regs *regs, uint64_t pc, uint32_t w)
{
	const unsigned int rd = bits(w, 11, 7);
	const uint64_t imm = sign((w >> 12 & 1) << 5 | bits(w, 6, 2), 6);

	/* funct3 and the quadrant */
	switch (bits(w, 15, 13) << 2 | bits(w, 1, 0)) {
	case 0 << 2 | 0: /* c.addi4spn */
		if (known(regs, X_SP, 0))
			set(regs, 8 + bits(w, 4, 2),
			    regs->x[X_SP] + (bits(w, 10, 7) << 6 |
					     bits(w, 12, 11) << 4 |
					     bits(w, 5, 5) << 3 |
					     bits(w, 6, 6) << 2));
		else
			forget(regs, 8 + bits(w, 4, 2));
		return;
	case 2 << 2 | 0: /* loads */
	case 3 << 2 | 0:
	case 4 << 2 | 0:
		forget(regs, 8 + bits(w, 4, 2));
		return;
	case 0 << 2 | 1: /* c.addi */
		if (known(regs, rd, 0))
			set(regs, rd, regs->x[rd] + imm);
		return;
	case 1 << 2 | 1: /* c.addiw */
		if (known(regs, rd, 0))
			set(regs, rd, sign(regs->x[rd] + imm, 32));
		return;
	case 2 << 2 | 1: /* c.li */
		set(regs, rd, imm);
		return;
	case 3 << 2 | 1: /* c.lui, c.addi16sp; c.mop of Zcmop has no immediate */
		if (rd != X_SP && imm)
			set(regs, rd, imm << 12);
		else if (rd != X_SP)
			return;
		else if (known(regs, X_SP, 0))
			set(regs, X_SP,
			    regs->x[X_SP] + sign(bits(w, 12, 12) << 9 |
							 bits(w, 4, 3) << 7 |
							 bits(w, 5, 5) << 6 |
							 bits(w, 2, 2) << 5 |
							 bits(w, 6, 6) << 4,
						 10));
		return;
	case 4 << 2 | 1:
		execute_c_alu(regs, w, imm);
		return;
	case 0 << 2 | 2: /* c.slli */
		if (known(regs, rd, 0))
			set(regs, rd, regs->x[rd] << (imm & 63));
		return;
	case 2 << 2 | 2: /* loads from the stack */
	case 3 << 2 | 2:
		forget(regs, rd);
		return;
	case 4 << 2 | 2:
		execute_cr(regs, pc, w);
		return;
	}
}

bool rv_regs_agree(const struct rv_regs *a, const struct rv_regs *b)
{
	const uint32_t known = a->known & b->known;
	unsigned int i;

	for (i = 1; i < 32; i++)
		if (known >> i & 1 && a->x[i] != b->x[i])
			return false;
	return true;
}

void rv_exec(struct rv_regs *regs, uint64_t pc, uint32_t opcode,
	     unsigned int size)
{
	if (size == 2)
		execute_16(regs, pc, opcode);
	else
		execute_32(regs, pc, opcode);
}
