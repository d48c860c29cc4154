/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libstf must know about RISC-V instructions. libstf stands alone and has a licence of
 * its own, so it has this small decoder. tools/tests/stf-branch.c compares it with that of
 * the room riscv.
 */
#ifndef STF_STF_RV_H
#define STF_STF_RV_H

#include "stf/stf.h"

/* What an instruction does to the flow of control. */
enum stf_rv_flow {
	STF_RV_STAYS, /* the next instruction follows */
	STF_RV_BRANCH, /* it may lead to its target */
	STF_RV_JUMP, /* it leads to its target */
	STF_RV_ANY, /* it may lead anywhere: a trap return, a custom opcode */
};

/* What an instruction does with memory. */
enum stf_rv_memory {
	STF_RV_NONE,
	STF_RV_LOAD,
	STF_RV_STORE,
	STF_RV_AMO,
	/* its operands decide: vectors, sc, cache blocks, unknown */
	STF_RV_MAYBE,
};

struct stf_rv {
	enum stf_rv_flow flow;
	enum stf_rv_memory memory;
	uint8_t kind; /* enum stf_branch_kind */
	/* It has this kind on harts with Zcmp and Zcmt. On others, it is c.fsdsp. */
	bool only_zcm;
	bool vector;
	bool direct; /* the target is at `offset` bytes from the instruction */
	int32_t offset;
};

/*
 * Returns false if an opcode cannot be a branch of any kind. This is a quick check: true
 * proves nothing.
 */
static inline bool stf_rv_may_branch(uint32_t opcode, unsigned int size)
{
	/* By bits 6:2: BRANCH, JALR, JAL and SYSTEM. */
	const uint32_t words = 1u << 24 | 1u << 25 | 1u << 27 | 1u << 28;
	/* By funct3 and quadrant: c.jal, c.jr and c.jalr, c.j, Zcm, c.beqz, c.bnez. */
	const uint32_t halves = 1u << (1 << 2 | 1) | 1u << (4 << 2 | 2) |
				1u << (5 << 2 | 1) | 1u << (5 << 2 | 2) |
				1u << (6 << 2 | 1) | 1u << (7 << 2 | 1);

	return size == 4 ? words >> (opcode >> 2 & 31) & 1 :
			   halves >> ((opcode >> 11 & 28) | (opcode & 3)) & 1;
}

/* Returns what is known about an opcode. size is 2 or 4 bytes. */
struct stf_rv stf_rv_look(uint32_t opcode, unsigned int size, bool rv32);

#endif
