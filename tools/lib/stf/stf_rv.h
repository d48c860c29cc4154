/* SPDX-License-Identifier: BSD-2-Clause */
/* What the checker must know about RISC-V instructions. */
#ifndef STF_STF_RV_H
#define STF_STF_RV_H

#include <stdbool.h>
#include <stdint.h>

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
	bool vector;
	bool direct; /* the target is at `offset` bytes from the instruction */
	int32_t offset;
};

/* Returns what is known about an opcode. size is 2 or 4 bytes. */
struct stf_rv stf_rv_look(uint32_t opcode, unsigned int size, bool rv32);

#endif
