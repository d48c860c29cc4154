/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One RISC-V instruction: its length, the control transfer that its opcode makes, and the
 * target that is in the opcode.
 *
 * The classes are those of the Control Transfer Records specification (Smctr/Ssctr),
 * "Transfer Type Filtering", table "Control Transfer Type Definitions". Nothing here
 * depends on the state of a hart.
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
	RV_XFER_EXCEPTION = 1, /* it always traps: ecall, ebreak, unimp */
	RV_XFER_TRAP_RETURN = 3, /* mret, sret, mnret, dret */
	/* a conditional branch; the hart writes 4 if it is not taken */
	RV_XFER_BRANCH = 5,
	RV_XFER_IND_CALL = 8,
	RV_XFER_DIR_CALL = 9,
	RV_XFER_IND_JUMP = 10,
	RV_XFER_DIR_JUMP = 11,
	RV_XFER_CO_SWAP = 12,
	RV_XFER_RETURN = 13,
	RV_XFER_IND_LINK = 14, /* another indirect jump with linkage */
	RV_XFER_DIR_LINK = 15, /* another direct jump with linkage */
};

/* What the instruction does not tell. These are flags for rv_decode(). */
enum rv_flags {
	RV_RV32 = 1 << 0, /* the encoding is c.jal; on RV64, it is c.addiw */
	/*
	 * The hart has Zcmt and Zcmp. Their encodings are c.fsdsp (Zcd) on all other
	 * harts. With this flag, cm.jt, cm.jalt, cm.popret and cm.popretz are transfers.
	 */
	RV_ZCM = 1 << 1,
};

enum rv_err {
	RV_E_CUT = -1, /* the code ends inside the instruction */
	/* longer than 32 bits: no such instruction is defined */
	RV_E_LONG = -2,
};

struct rv_insn {
	uint32_t raw; /* the encoding; 16 bits of it if size is 2 */
	uint8_t size; /* bytes: 2 or 4 */
	uint8_t xfer; /* enum rv_xfer */
	/* the encoding gives the target, which is pc + offset */
	bool has_offset;
	int32_t offset; /* bytes */
};

/*
 * Returns the length in bytes of the instruction that starts with this 16-bit parcel: 2,
 * 4, or 6 to 22 as the section "Expanded Instruction-Length Encoding" of the unprivileged
 * specification defines it. Returns 0 if the parcel is reserved for 192 bits and more.
 */
unsigned int rv_insn_size(uint16_t parcel);

/*
 * Returns how many instructions begin in len bytes of code. Each of them has at least two
 * bytes.
 */
unsigned int rv_count_insns(const void *code, size_t len);

/*
 * Store the bits of the instruction at code, which must have 2 or 4 bytes and be
 * complete. Returns its size in bytes.
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
 * Decode the instruction at the start of len bytes of code. flags are enum rv_flags.
 * Returns its size in bytes, 2 or 4. Otherwise returns RV_E_CUT or RV_E_LONG and does not
 * change *insn. An encoding that is not a transfer, or that is reserved, is RV_XFER_NONE.
 */
int rv_decode(struct rv_insn *insn, const void *code, size_t len,
	      unsigned int flags);

/*
 * Decode an encoding in a word, the form that trace records have. Returns like
 * rv_decode().
 */
int rv_decode_word(struct rv_insn *insn, uint32_t word, unsigned int flags);

/*
 * Store the target of a direct jump or branch at pc. Returns false and does not change
 * *target if the encoding does not give the target: for indirect jumps, trap returns, and
 * the jumps of Zcmt, whose table is in memory. Addresses wrap at 64 bits. On RV32, the
 * caller cuts them to 32 bits.
 */
static inline bool rv_target(const struct rv_insn *insn, uint64_t pc,
			     uint64_t *target)
{
	if (insn->has_offset)
		*target = pc + (uint64_t)(int64_t)insn->offset;
	return insn->has_offset;
}

/*
 * Returns true if the instruction that starts with this parcel has two or four bytes, and
 * is not a transfer except a conditional branch. This is a quick check: false proves
 * nothing.
 */
static inline bool rv_runs_on(uint16_t parcel)
{
	/* By bits 6:2: all except JALR, JAL, SYSTEM and longer instructions. */
	const uint32_t words = ~(1u << 25 | 1u << 27 | 1u << 28 | 0x80808080u);
	/* By funct3 and quadrant: all except those that decode_16() distinguishes. */
	const uint32_t halves = ~(1u << (0 << 2 | 0) | 1u << (1 << 2 | 1) |
				  1u << (4 << 2 | 2) | 1u << (5 << 2 | 1) |
				  1u << (5 << 2 | 2));

	return (parcel & 3) == 3 ?
		       words >> (parcel >> 2 & 31) & 1 :
		       halves >> ((parcel >> 11 & 28) | (parcel & 3)) & 1;
}

/*
 * Returns whether the program calls a function: it puts a return address into ra, or into
 * t0. The type tells another thing, which is what a hart does with its stack of return
 * addresses: for `jalr ra, t0` it takes one off before it puts one on, as for a co-routine
 * swap. But this is how Go calls closures and interfaces, which return to the caller.
 * `jalr t0, ra` stays a swap: it returns to who put an address into ra.
 */
static inline bool rv_is_call(const struct rv_insn *insn)
{
	if (insn->xfer == RV_XFER_CO_SWAP)
		return insn->size == 2 || (insn->raw >> 7 & 31) == 1;
	return insn->xfer == RV_XFER_IND_CALL || insn->xfer == RV_XFER_DIR_CALL;
}

/* Returns whether it is a jump, call or return of any kind: types 8 to 15. */
static inline bool rv_is_jump(const struct rv_insn *insn)
{
	return insn->xfer >= RV_XFER_IND_CALL;
}

/* Returns whether the target is in a register or a CSR, and not in the encoding. */
static inline bool rv_is_indirect(const struct rv_insn *insn)
{
	return 1u << insn->xfer &
	       (1u << RV_XFER_TRAP_RETURN | 1u << RV_XFER_IND_CALL |
		1u << RV_XFER_IND_JUMP | 1u << RV_XFER_CO_SWAP |
		1u << RV_XFER_RETURN | 1u << RV_XFER_IND_LINK);
}

/*
 * Returns whether the next instruction in memory never follows when this instruction
 * retires: it is an unconditional jump or a trap return.
 */
static inline bool rv_never_falls_through(const struct rv_insn *insn)
{
	return rv_is_jump(insn) || insn->xfer == RV_XFER_TRAP_RETURN;
}

/*
 * Returns how far control can run straight on from the start of code: the offset of the
 * first instruction that begins at `end` or later, or of the first one before it that never
 * falls through or that rv_decode() refuses. The code has len bytes, more than `end`.
 */
size_t rv_run_on(const void *code, size_t end, size_t len, unsigned int flags);

/* Returns whether it never retires: ecall, ebreak, c.ebreak, unimp, c.unimp. */
static inline bool rv_always_traps(const struct rv_insn *insn)
{
	return insn->xfer == RV_XFER_EXCEPTION;
}

/*
 * Returns the name of a type: "indirect call", "return", ... Returns "" for RV_XFER_NONE
 * and for an unknown number.
 */
const char *rv_xfer_name(unsigned int xfer);

#endif
