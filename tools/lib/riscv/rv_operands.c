// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_operands.h"

#include <stdbool.h>

#include "riscv/rv_insn.h"

enum { X = RV_OPERAND_X, F = RV_OPERAND_F, V = RV_OPERAND_V, RA = 1, SP = 2, T0 = 5 };

static uint32_t bits(uint32_t word, unsigned int hi, unsigned int lo)
{
	return word >> lo & ((2u << (hi - lo)) - 1);
}

/* Kind and number of a register; x0 does not count. */
static void reads(struct rv_operands *ops, unsigned int kind, unsigned int nr)
{
	if (kind + nr && ops->n_sources < sizeof(ops->sources))
		ops->sources[ops->n_sources++] = (uint8_t)(kind + nr);
}

static void writes(struct rv_operands *ops, unsigned int kind, unsigned int nr)
{
	if (kind + nr && ops->n_dests < sizeof(ops->dests))
		ops->dests[ops->n_dests++] = (uint8_t)(kind + nr);
}

/* ------------------------------------------------------------ 16 bits */

/* The fields of a compressed instruction. Those of three bits are x8 to x15. */
static unsigned int rd(uint32_t op)
{
	return bits(op, 11, 7);
}

static unsigned int rs2(uint32_t op)
{
	return bits(op, 6, 2);
}

static unsigned int high(uint32_t op)
{
	return 8 + bits(op, 9, 7);
}

static unsigned int low(uint32_t op)
{
	return 8 + bits(op, 4, 2);
}

/* The kind of register that loads and stores of this funct3 move. */
static unsigned int moved(unsigned int funct3, unsigned int flags)
{
	return (funct3 & 3) == 1 || ((funct3 & 3) == 3 && flags & RV_RV32) ? F : X;
}

static void quadrant_0(struct rv_operands *ops, uint32_t op, unsigned int flags)
{
	const unsigned int funct3 = bits(op, 15, 13);
	/* Zcb has loads and stores of bytes and half words in funct3 4. */
	bool store = funct3 > 4 || (funct3 == 4 && op & 1 << 11);

	if (!op)
		return;
	reads(ops, X, funct3 ? high(op) : SP); /* c.addi4spn */
	if (store)
		reads(ops, funct3 == 4 ? X : moved(funct3, flags), low(op));
	else
		writes(ops, funct3 & 3 ? moved(funct3, flags) : X, low(op));
}

/* Zcmop, of which Zicfiss makes c.sspush and c.sspopchk: their operand stands in rd. */
static bool is_c_mop(uint32_t op)
{
	return rd(op) != SP && !(op & 1 << 12) && !rs2(op);
}

static void quadrant_1(struct rv_operands *ops, uint32_t op, unsigned int flags)
{
	switch (bits(op, 15, 13)) {
	case 1:
		if (flags & RV_RV32) { /* c.jal */
			writes(ops, X, RA);
			break;
		}
		/* fallthrough */
	case 0: /* c.addi, c.addiw */
		reads(ops, X, rd(op));
		writes(ops, X, rd(op));
		break;
	case 3: /* c.lui, c.addi16sp */
		if (is_c_mop(op)) {
			if (rd(op) == RA || rd(op) == T0)
				reads(ops, X, rd(op));
			break;
		}
		if (rd(op) == SP)
			reads(ops, X, SP);
		/* fallthrough */
	case 2: /* c.li */
		writes(ops, X, rd(op));
		break;
	case 4:
		reads(ops, X, high(op));
		/* Not with an immediate, and not the instructions of Zcb with one operand. */
		if (bits(op, 11, 10) == 3 && !(op & 1 << 12 && bits(op, 6, 5) == 3))
			reads(ops, X, low(op));
		writes(ops, X, high(op));
		break;
	case 6: /* c.beqz, c.bnez */
	case 7:
		reads(ops, X, high(op));
		break;
	}
}

static void jump_or_move(struct rv_operands *ops, uint32_t op)
{
	bool second = op & 1 << 12;

	if (rs2(op)) { /* c.mv, c.add */
		if (second)
			reads(ops, X, rd(op));
		reads(ops, X, rs2(op));
		writes(ops, X, rd(op));
	} else if (rd(op)) { /* c.jr, c.jalr; without a register it is c.ebreak */
		reads(ops, X, rd(op));
		if (second)
			writes(ops, X, RA);
	}
}

static void quadrant_2(struct rv_operands *ops, uint32_t op, unsigned int flags)
{
	const unsigned int funct3 = bits(op, 15, 13);

	if (funct3 == 4) {
		jump_or_move(ops, op);
	} else if (!funct3) { /* c.slli */
		reads(ops, X, rd(op));
		writes(ops, X, rd(op));
	} else {
		reads(ops, X, SP);
		if (funct3 > 4)
			reads(ops, moved(funct3, flags), rs2(op));
		else
			writes(ops, moved(funct3, flags), rd(op));
	}
}

/* ------------------------------------------------------------ 32 bits */

static unsigned int rs1_of(uint32_t op)
{
	return bits(op, 19, 15);
}

static unsigned int rs2_of(uint32_t op)
{
	return bits(op, 24, 20);
}

static void three(struct rv_operands *ops, uint32_t op, unsigned int dest,
		  unsigned int source)
{
	reads(ops, source, rs1_of(op));
	reads(ops, source, rs2_of(op));
	writes(ops, dest, rd(op));
}

static void two(struct rv_operands *ops, uint32_t op, unsigned int dest,
		unsigned int source)
{
	reads(ops, source, rs1_of(op));
	writes(ops, dest, rd(op));
}

/* An instruction without a mask has bit 25. */
static void mask(struct rv_operands *ops, uint32_t op)
{
	if (!(op & 1 << 25))
		reads(ops, V, 0);
}

/* Loads and stores of floating-point and vector registers. */
static void float_memory(struct rv_operands *ops, uint32_t op, bool store)
{
	const unsigned int width = bits(op, 14, 12), mop = bits(op, 27, 26);
	bool scalar = width >= 1 && width <= 4;

	reads(ops, X, rs1_of(op));
	if (scalar && store)
		reads(ops, F, rs2_of(op));
	else if (scalar)
		writes(ops, F, rd(op));
	else if (store)
		reads(ops, V, rd(op));
	else
		writes(ops, V, rd(op));
	if (scalar)
		return;
	if (mop) /* strided, or else indexed */
		reads(ops, mop == 2 ? X : V, rs2_of(op));
	mask(ops, op);
}

/* OP-FP, by funct5. */
static void op_fp(struct rv_operands *ops, uint32_t op)
{
	switch (bits(op, 31, 27)) {
	case 0x08: /* between formats, fround */
	case 0x0b: /* fsqrt */
		two(ops, op, F, F);
		break;
	case 0x14: /* comparisons */
		three(ops, op, X, F);
		break;
	case 0x16: /* fmvp */
		three(ops, op, F, X);
		break;
	case 0x18: /* to integers */
	case 0x1c: /* fmv.x, fclass */
		two(ops, op, X, F);
		break;
	case 0x1a: /* from integers */
		two(ops, op, F, X);
		break;
	case 0x1e: /* fmv from integers; fli has no source */
		if (rs2_of(op) != 1)
			reads(ops, X, rs1_of(op));
		writes(ops, F, rd(op));
		break;
	default:
		three(ops, op, F, F);
	}
}

/* vsetvli, vsetivli, vsetvl. */
static void vector_config(struct rv_operands *ops, uint32_t op)
{
	if (bits(op, 31, 30) != 3)
		reads(ops, X, rs1_of(op));
	if (bits(op, 31, 30) == 2)
		reads(ops, X, rs2_of(op));
	writes(ops, X, rd(op));
}

/* OP-V, by the kinds of the operands (funct3) and by funct6. */
static void op_v(struct rv_operands *ops, uint32_t op)
{
	enum { IVV, FVV, MVV, IVI, IVX, FVF, MVX, CONFIG };
	const unsigned int form = bits(op, 14, 12), funct6 = bits(op, 31, 26);
	bool integer = form == IVV || form == IVI || form == IVX;
	bool vectors = form == FVV || form == MVV;
	/* vmv.x.s and vfmv.f.s and their like, and the inverse. */
	bool moves = !integer && funct6 == 0x10;
	/* The field of the first operand tells the operation. */
	bool unary = vectors && funct6 >= 0x10 && funct6 <= 0x14;
	/* vmv.v.* and vfmv.v.f; with a mask these are merges. vid.v. */
	bool has_one = (form != MVV && form != MVX && funct6 == 0x17 && op & 1 << 25) ||
		       (form == MVV && funct6 == 0x14 && bits(op, 19, 15) == 0x11);
	bool bf16 = (form == FVV || form == FVF) && funct6 == 0x3b; /* vfwmaccbf16 */
	bool adds_up = !integer && (funct6 >> 3 == 5 || funct6 >> 2 == 15 || bf16);
	/* Below the offset, vslideup keeps the elements of vd, whatever vtype says. */
	bool slides_up = (form == IVX || form == IVI) && funct6 == 0x0e;

	if (form == CONFIG) {
		vector_config(ops, op);
		return;
	}
	if (form == IVX || form == MVX)
		reads(ops, X, rs1_of(op));
	else if (form == FVF)
		reads(ops, F, rs1_of(op));
	else if (form != IVI && !unary)
		reads(ops, V, rs1_of(op));
	if ((!moves || vectors) && !has_one)
		reads(ops, V, rs2_of(op));
	if (adds_up || slides_up)
		reads(ops, V, rd(op));
	mask(ops, op);
	writes(ops, !moves || !vectors ? V : form == FVV ? F : X, rd(op));
}

/* OP-VE, the vector cryptography, by funct6. All of it is of the form .vv and has no mask. */
static void op_ve(struct rv_operands *ops, uint32_t op)
{
	bool in_place = true; /* vd is an operand and the result */

	if (bits(op, 14, 12) != 2 || !(op & 1 << 25))
		return;
	switch (bits(op, 31, 26)) {
	case 0x20: /* vsm3me */
		in_place = false;
		/* fallthrough */
	case 0x23: /* vghsh.vs */
	case 0x2c: /* vghsh.vv */
	case 0x2d: /* vsha2ms, vsha2ch, vsha2cl */
	case 0x2e:
	case 0x2f:
		reads(ops, V, rs1_of(op));
		break;
	/* The field of the first operand is an immediate, or tells the operation. */
	case 0x21: /* vsm4k */
	case 0x22: /* vaeskf1 */
		in_place = false;
		break;
	case 0x28: /* vaesdm, vaesdf, vaesem, vaesef, vaesz, vsm4r, vgmul: .vv and .vs */
	case 0x29:
	case 0x2a: /* vaeskf2 */
	case 0x2b: /* vsm3c */
		break;
	default:
		return;
	}
	reads(ops, V, rs2_of(op));
	if (in_place)
		reads(ops, V, rd(op));
	writes(ops, V, rd(op));
}

/* By funct7, where funct3 is 0: an address and an address space or a guest stand in rs1, rs2. */
static bool is_address_fence(uint32_t op)
{
	switch (bits(op, 31, 25)) {
	case 0x09: /* sfence.vma */
	case 0x0b: /* sinval.vma */
	case 0x11: /* hfence.vvma */
	case 0x13: /* hinval.vvma */
	case 0x31: /* hfence.gvma */
	case 0x33: /* hinval.gvma */
		return true;
	}
	return false;
}

static void system(struct rv_operands *ops, uint32_t op)
{
	const unsigned int funct3 = bits(op, 14, 12);

	if (!funct3) {
		if (!is_address_fence(op))
			return;
		reads(ops, X, rs1_of(op));
		reads(ops, X, rs2_of(op));
	} else if (funct3 == 4 && op >> 31) { /* mop.r, mop.rr (Zimop) */
		reads(ops, X, rs1_of(op));
		if (op & 1 << 25)
			reads(ops, X, rs2_of(op));
		writes(ops, X, rd(op));
	} else if (funct3 == 4) { /* hlv, hlvx, hsv */
		reads(ops, X, rs1_of(op));
		if (op & 1 << 25)
			reads(ops, X, rs2_of(op));
		else
			writes(ops, X, rd(op));
	} else {
		if (funct3 < 4) /* else the field is an immediate */
			reads(ops, X, rs1_of(op));
		writes(ops, X, rd(op));
	}
}

static void atomic(struct rv_operands *ops, uint32_t op)
{
	const unsigned int amocas = 5;

	three(ops, op, X, X);
	if (bits(op, 31, 27) == amocas)
		reads(ops, X, rd(op));
}

/* What is not an integer operation. */
static void other(struct rv_operands *ops, uint32_t op)
{
	switch (op & 0x7f) {
	case 0x07: /* LOAD-FP */
	case 0x27: /* STORE-FP */
		float_memory(ops, op, op & 0x20);
		break;
	case 0x0f: /* MISC-MEM: only operations on a cache block have an address */
		if (bits(op, 14, 12) == 2)
			reads(ops, X, rs1_of(op));
		break;
	case 0x2f: /* AMO */
		atomic(ops, op);
		break;
	case 0x43: /* FMADD, FMSUB, FNMSUB, FNMADD */
	case 0x47:
	case 0x4b:
	case 0x4f:
		three(ops, op, F, F);
		reads(ops, F, bits(op, 31, 27));
		break;
	case 0x53:
		op_fp(ops, op);
		break;
	case 0x57:
		op_v(ops, op);
		break;
	case 0x77:
		op_ve(ops, op);
		break;
	case 0x73:
		system(ops, op);
		break;
	}
}

static void word(struct rv_operands *ops, uint32_t op)
{
	switch (op & 0x7f) {
	case 0x03: /* LOAD */
	case 0x13: /* OP-IMM */
	case 0x1b: /* OP-IMM-32 */
	case 0x67: /* JALR */
		two(ops, op, X, X);
		break;
	case 0x17: /* AUIPC */
	case 0x37: /* LUI */
	case 0x6f: /* JAL */
		writes(ops, X, rd(op));
		break;
	case 0x33: /* OP */
	case 0x3b: /* OP-32 */
		three(ops, op, X, X);
		break;
	case 0x23: /* STORE */
	case 0x63: /* BRANCH */
		reads(ops, X, rs1_of(op));
		reads(ops, X, rs2_of(op));
		break;
	default:
		other(ops, op);
	}
}

struct rv_operands rv_operands(uint32_t opcode, unsigned int size,
			       unsigned int flags)
{
	struct rv_operands ops = { 0 };

	if (size != 2)
		word(&ops, opcode);
	else if ((opcode & 3) == 0)
		quadrant_0(&ops, opcode, flags);
	else if ((opcode & 3) == 1)
		quadrant_1(&ops, opcode, flags);
	else
		quadrant_2(&ops, opcode, flags);
	return ops;
}
