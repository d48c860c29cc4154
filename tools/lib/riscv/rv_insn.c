// SPDX-License-Identifier: GPL-2.0-only
#include "riscv/rv_insn.h"

enum {
	OP_BRANCH = 0x63,
	OP_JALR = 0x67,
	OP_JAL = 0x6f,
	OP_SYSTEM = 0x73,
};

enum {
	X0 = 0,
	RA = 1, /* x1 and x5 are the link registers */
	T0 = 5,
};

static bool is_link(unsigned int reg)
{
	return reg == RA || reg == T0;
}

/* Bits hi to lo of word, at the bottom. */
static inline uint32_t bits(uint32_t word, unsigned int hi, unsigned int lo)
{
	return word >> lo & ((2u << (hi - lo)) - 1);
}

/* The low n bits of value as a signed number. */
static inline int32_t sign_extend(uint32_t value, unsigned int n)
{
	return (int32_t)(value << (32 - n)) >> (32 - n);
}

static int32_t offset_b(uint32_t w)
{
	return sign_extend(bits(w, 31, 31) << 12 | bits(w, 7, 7) << 11 |
			   bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1, 13);
}

static int32_t offset_j(uint32_t w)
{
	return sign_extend(bits(w, 31, 31) << 20 | bits(w, 19, 12) << 12 |
			   bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1, 21);
}

static int32_t offset_cb(uint32_t w)
{
	return sign_extend(bits(w, 12, 12) << 8 | bits(w, 6, 5) << 6 |
			   bits(w, 2, 2) << 5 | bits(w, 11, 10) << 3 |
			   bits(w, 4, 3) << 1, 9);
}

static int32_t offset_cj(uint32_t w)
{
	return sign_extend(bits(w, 12, 12) << 11 | bits(w, 8, 8) << 10 |
			   bits(w, 10, 9) << 8 | bits(w, 6, 6) << 7 |
			   bits(w, 7, 7) << 6 | bits(w, 2, 2) << 5 |
			   bits(w, 11, 11) << 4 | bits(w, 5, 3) << 1, 12);
}

static void direct(struct rv_insn *insn, enum rv_xfer xfer, int32_t offset)
{
	insn->xfer = xfer;
	insn->has_offset = true;
	insn->offset = offset;
}

static enum rv_xfer jalr_xfer(unsigned int rd, unsigned int rs)
{
	if (is_link(rd))
		return is_link(rs) && rs != rd ? RV_XFER_CO_SWAP :
						 RV_XFER_IND_CALL;
	if (is_link(rs))
		return RV_XFER_RETURN;
	return rd == X0 ? RV_XFER_IND_JUMP : RV_XFER_IND_LINK;
}

static enum rv_xfer jal_xfer(unsigned int rd)
{
	if (is_link(rd))
		return RV_XFER_DIR_CALL;
	return rd == X0 ? RV_XFER_DIR_JUMP : RV_XFER_DIR_LINK;
}

static enum rv_xfer system_xfer(uint32_t w)
{
	switch (w) {
	case 0x00000073: /* ecall */
	case 0x00100073: /* ebreak */
	case 0xc0001073: /* unimp: csrrw x0, cycle, x0 */
		return RV_XFER_EXCEPTION;
	case 0x10200073: /* sret */
	case 0x30200073: /* mret */
	case 0x70200073: /* mnret, Smrnmi */
	case 0x7b200073: /* dret, Sdext */
		return RV_XFER_TRAP_RETURN;
	}
	return RV_XFER_NONE;
}

static void decode_32(struct rv_insn *insn, uint32_t w)
{
	unsigned int funct3 = bits(w, 14, 12);

	switch (bits(w, 6, 0)) {
	case OP_BRANCH:
		if (funct3 != 2 && funct3 != 3) /* reserved */
			direct(insn, RV_XFER_BRANCH, offset_b(w));
		break;
	case OP_JAL:
		direct(insn, jal_xfer(bits(w, 11, 7)), offset_j(w));
		break;
	case OP_JALR:
		if (!funct3)
			insn->xfer = jalr_xfer(bits(w, 11, 7), bits(w, 19, 15));
		break;
	case OP_SYSTEM:
		insn->xfer = system_xfer(w);
		break;
	}
}

/* c.jr, c.jalr, c.ebreak; c.mv and c.add have the same funct3. */
static enum rv_xfer cr_xfer(uint32_t w)
{
	unsigned int rs1 = bits(w, 11, 7);
	bool link = bits(w, 12, 12);

	if (bits(w, 6, 2))
		return RV_XFER_NONE;
	if (rs1 == X0)
		return link ? RV_XFER_EXCEPTION : RV_XFER_NONE;
	return jalr_xfer(link ? RA : X0, rs1);
}

/*
 * Zcmt: 101000 index 10, where indices below 32 do not link. Zcmp: cm.popretz
 * and cm.popret, whose register lists 0 to 3 are reserved.
 */
static enum rv_xfer zcm_xfer(uint32_t w)
{
	if (bits(w, 12, 10) == 0)
		return bits(w, 9, 2) < 32 ? RV_XFER_DIR_JUMP : RV_XFER_DIR_CALL;
	if ((bits(w, 12, 8) == 0x1c || bits(w, 12, 8) == 0x1e) &&
	    bits(w, 7, 4) >= 4)
		return RV_XFER_RETURN;
	return RV_XFER_NONE;
}

/* The case is funct3 and the quadrant, bits 15:13 and 1:0. */
static void decode_16(struct rv_insn *insn, uint32_t w, unsigned int flags)
{
	switch (bits(w, 15, 13) << 2 | bits(w, 1, 0)) {
	case 0 << 2 | 0:
		if (!w) /* c.unimp: all 0s is defined as illegal */
			insn->xfer = RV_XFER_EXCEPTION;
		break;
	case 1 << 2 | 1:
		if (flags & RV_RV32)
			direct(insn, RV_XFER_DIR_CALL, offset_cj(w));
		break;
	case 4 << 2 | 2:
		insn->xfer = cr_xfer(w);
		break;
	case 5 << 2 | 1:
		direct(insn, RV_XFER_DIR_JUMP, offset_cj(w));
		break;
	case 5 << 2 | 2:
		if (flags & RV_ZCM)
			insn->xfer = zcm_xfer(w);
		break;
	case 6 << 2 | 1:
	case 7 << 2 | 1:
		direct(insn, RV_XFER_BRANCH, offset_cb(w));
		break;
	}
}

unsigned int rv_insn_size(uint16_t parcel)
{
	unsigned int nnn;

	if ((parcel & 0x03) != 0x03)
		return 2;
	if ((parcel & 0x1c) != 0x1c)
		return 4;
	if ((parcel & 0x3f) == 0x1f)
		return 6;
	if ((parcel & 0x7f) == 0x3f)
		return 8;
	nnn = bits(parcel, 14, 12);
	return nnn < 7 ? 10 + 2 * nnn : 0;
}

unsigned int rv_count_insns(const void *code, size_t len)
{
	const uint8_t *p = code;
	unsigned int nr = 0, size;
	size_t at;

	for (at = 0; at + 1 < len; at += size) {
		size = rv_insn_size((uint16_t)(p[at] | p[at + 1] << 8));
		if (!size)
			break;
		nr++;
	}
	return nr;
}

int rv_decode_word(struct rv_insn *insn, uint32_t word, unsigned int flags)
{
	unsigned int size = rv_insn_size((uint16_t)word);

	if (size != 2 && size != 4)
		return RV_E_LONG;
	*insn = (struct rv_insn){ .raw = size == 2 ? (uint16_t)word : word,
				  .size = (uint8_t)size };
	if (size == 2)
		decode_16(insn, insn->raw, flags);
	else
		decode_32(insn, word);
	return (int)size;
}

int rv_decode(struct rv_insn *insn, const void *code, size_t len,
	      unsigned int flags)
{
	const uint8_t *p = code;
	uint32_t word;
	unsigned int size;

	if (len < 2)
		return RV_E_CUT;
	word = (uint32_t)(p[0] | p[1] << 8);
	size = rv_insn_size((uint16_t)word);
	if (size == 4) {
		if (len < 4)
			return RV_E_CUT;
		word |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	}
	return rv_decode_word(insn, word, flags);
}

size_t rv_run_on(const void *code, size_t end, size_t len, unsigned int flags)
{
	const uint8_t *p = code;
	size_t at = 0;

	while (at < end) {
		const uint16_t parcel = p[at] | p[at + 1] << 8;
		struct rv_insn insn;

		/* Of most instructions their first parcel is enough. */
		if (rv_runs_on(parcel)) {
			at += rv_insn_size(parcel);
			continue;
		}
		if (rv_decode(&insn, p + at, len - at, flags) < 0 ||
		    rv_never_falls_through(&insn))
			break;
		at += insn.size;
	}
	return at;
}

const char *rv_xfer_name(unsigned int xfer)
{
	static const char *const names[] = {
		[RV_XFER_NONE] = "",
		[RV_XFER_EXCEPTION] = "exception",
		[2] = "interrupt",
		[RV_XFER_TRAP_RETURN] = "trap return",
		[4] = "not-taken branch",
		[RV_XFER_BRANCH] = "branch",
		[6] = "",
		[7] = "",
		[RV_XFER_IND_CALL] = "indirect call",
		[RV_XFER_DIR_CALL] = "direct call",
		[RV_XFER_IND_JUMP] = "indirect jump",
		[RV_XFER_DIR_JUMP] = "direct jump",
		[RV_XFER_CO_SWAP] = "co-routine swap",
		[RV_XFER_RETURN] = "return",
		[RV_XFER_IND_LINK] = "other indirect jump",
		[RV_XFER_DIR_LINK] = "other direct jump",
	};

	return xfer < sizeof(names) / sizeof(names[0]) ? names[xfer] : "";
}
