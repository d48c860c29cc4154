/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One RISC-V instruction: its length, the control transfer it makes by opcode,
 * and the target that the opcode itself gives.
 *
 * The classification is the one of the Control Transfer Records specification
 * (Smctr/Ssctr), "Transfer Type Filtering", tables "Control Transfer Type
 * Definitions". Nothing here depends on the state of a hart.
 */
#ifndef RISCV_RV_INSN_H
#define RISCV_RV_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The numbers are those of ctrdata.TYPE. */
enum rv_xfer {
	RV_XFER_NONE = 0, /* the next instruction in memory follows */
	RV_XFER_EXCEPTION = 1, /* always traps: ecall, ebreak, unimp */
	RV_XFER_TRAP_RETURN = 3, /* mret, sret, mnret, dret */
	RV_XFER_BRANCH = 5, /* conditional; hardware says 4 when not taken */
	RV_XFER_IND_CALL = 8,
	RV_XFER_DIR_CALL = 9,
	RV_XFER_IND_JUMP = 10,
	RV_XFER_DIR_JUMP = 11,
	RV_XFER_CO_SWAP = 12,
	RV_XFER_RETURN = 13,
	RV_XFER_IND_LINK = 14, /* other indirect jump with linkage */
	RV_XFER_DIR_LINK = 15, /* other direct jump with linkage */
};

/* What is not told by the instruction: flags of rv_decode(). */
enum rv_flags {
	RV_RV32 = 1 << 0, /* c.jal is one; on RV64 the encoding is c.addiw */
	/*
	 * The hart has Zcmt and Zcmp, whose encodings are c.fsdsp (Zcd) on all
	 * others: cm.jt, cm.jalt, cm.popret and cm.popretz are then transfers.
	 */
	RV_ZCM = 1 << 1,
};

enum rv_err {
	RV_E_CUT = -1, /* the code ends inside the instruction */
	RV_E_LONG = -2, /* longer than 32 bits: no such instruction is defined */
};

struct rv_insn {
	uint32_t raw; /* the encoding; 16 bits of it if size is 2 */
	uint8_t size; /* bytes: 2 or 4 */
	uint8_t xfer; /* enum rv_xfer */
	bool has_offset; /* the encoding gives the target: pc + offset */
	int32_t offset; /* bytes */
};

/*
 * Length in bytes of the instruction that starts with this 16-bit parcel: 2, 4,
 * 6 to 22 by the unprivileged specification's "Expanded Instruction-Length
 * Encoding", or 0 where it is reserved for 192 bits and more.
 */
unsigned int rv_insn_size(uint16_t parcel);

/* How many instructions begin in so many bytes of code, each with two bytes at least. */
unsigned int rv_count_insns(const void *code, size_t len);

/*
 * The bits of the instruction at code, which has 2 or 4 bytes and is there whole.
 * Returns its size.
 */
static inline unsigned int rv_load(const void *code, uint32_t *opcode)
{
	uint16_t low, high;

	memcpy(&low, code, 2);
	*opcode = low;
	if ((low & 3) != 3)
		return 2;
	memcpy(&high, (const char *)code + 2, 2);
	*opcode |= (uint32_t)high << 16;
	return 4;
}

/*
 * Decode the instruction at the start of len bytes of code. Returns its size, 2
 * or 4, or RV_E_CUT or RV_E_LONG; *insn is then untouched. An encoding that no
 * transfer has, also a reserved one, is RV_XFER_NONE.
 */
int rv_decode(struct rv_insn *insn, const void *code, size_t len,
	      unsigned int flags);

/* The same for an encoding in a word, as trace records hold it. */
int rv_decode_word(struct rv_insn *insn, uint32_t word, unsigned int flags);

/*
 * The target of a direct jump or branch at pc. False, and *target untouched,
 * where the encoding does not give it: indirect jumps, trap returns, and the
 * jumps of Zcmt, whose table is in memory. Addresses wrap at 64 bits; on RV32
 * the caller cuts them to 32.
 */
static inline bool rv_target(const struct rv_insn *insn, uint64_t pc,
			     uint64_t *target)
{
	if (insn->has_offset)
		*target = pc + (uint64_t)(int64_t)insn->offset;
	return insn->has_offset;
}

/*
 * Is the instruction that starts with this parcel of two or four bytes, and can it
 * be no transfer but a branch? A quick yes; a no says nothing.
 */
static inline bool rv_runs_on(uint16_t parcel)
{
	/* By bits 6:2, all but JALR, JAL, SYSTEM and what is longer. */
	const uint32_t words = ~(1u << 25 | 1u << 27 | 1u << 28 | 0x80808080u);
	/* By funct3 and quadrant, all but those that decode_16() looks into. */
	const uint32_t halves = ~(1u << (0 << 2 | 0) | 1u << (1 << 2 | 1) |
				  1u << (4 << 2 | 2) | 1u << (5 << 2 | 1) |
				  1u << (5 << 2 | 2));

	return (parcel & 3) == 3 ?
		       words >> (parcel >> 2 & 31) & 1 :
		       halves >> ((parcel >> 11 & 28) | (parcel & 3)) & 1;
}

/* A jump, call or return of any kind: types 8 to 15. */
static inline bool rv_is_jump(const struct rv_insn *insn)
{
	return insn->xfer >= RV_XFER_IND_CALL;
}

/* The target is in a register or a CSR, not in the encoding. */
static inline bool rv_is_indirect(const struct rv_insn *insn)
{
	return 1u << insn->xfer &
	       (1u << RV_XFER_TRAP_RETURN | 1u << RV_XFER_IND_CALL |
		1u << RV_XFER_IND_JUMP | 1u << RV_XFER_CO_SWAP |
		1u << RV_XFER_RETURN | 1u << RV_XFER_IND_LINK);
}

/*
 * When it retires, the next instruction in memory is never the one that follows
 * by running on: an unconditional jump or a trap return.
 */
static inline bool rv_never_falls_through(const struct rv_insn *insn)
{
	return rv_is_jump(insn) || insn->xfer == RV_XFER_TRAP_RETURN;
}

/* It never retires: ecall, ebreak, c.ebreak, unimp, c.unimp. */
static inline bool rv_always_traps(const struct rv_insn *insn)
{
	return insn->xfer == RV_XFER_EXCEPTION;
}

/* "indirect call", "return", ...; "" for RV_XFER_NONE and unknown numbers. */
const char *rv_xfer_name(unsigned int xfer);

#endif
