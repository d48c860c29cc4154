/* SPDX-License-Identifier: BSD-2-Clause */
/* The little that the checker has to know about RISC-V instructions. */
#ifndef STF_STF_RV_H
#define STF_STF_RV_H

#include <stdbool.h>
#include <stdint.h>

/* What an instruction does to the flow. */
enum stf_rv_flow {
	STF_RV_STAYS, /* it leads to the next one */
	STF_RV_BRANCH, /* it may lead to its target */
	STF_RV_JUMP, /* it leads to its target */
	STF_RV_ANY, /* to wherever: a return from a trap, a custom opcode */
};

/* What it does with memory. */
enum stf_rv_memory {
	STF_RV_NONE,
	STF_RV_LOAD,
	STF_RV_STORE,
	STF_RV_AMO,
	STF_RV_MAYBE, /* by its operands: vectors, sc, cache blocks, unknown */
};

struct stf_rv {
	enum stf_rv_flow flow;
	enum stf_rv_memory memory;
	bool vector;
	bool direct; /* the target is at `offset` from the instruction */
	int32_t offset;
};

/* size: 2 or 4, bytes. */
struct stf_rv stf_rv_look(uint32_t opcode, unsigned int size, bool rv32);

#endif
