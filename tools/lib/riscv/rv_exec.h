/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execute a sequence of instructions, as far as the integer registers alone determine the
 * result.
 */
#ifndef RV_EXEC_H
#define RV_EXEC_H

#include <stdbool.h>
#include <stdint.h>

struct rv_regs {
	uint32_t known; /* one bit for each register; x[0] is 0 */
	uint64_t x[32];
};

/* Returns whether all registers that are known in both have the same values. */
bool rv_regs_agree(const struct rv_regs *a, const struct rv_regs *b);

/*
 * Execute the instruction at pc, which has size bytes, on a hart with 64 bits. The
 * destination is not known any more if the result comes from memory or from another kind
 * of register, or if this function does not know the instruction.
 */
void rv_exec(struct rv_regs *regs, uint64_t pc, uint32_t opcode,
	     unsigned int size);

#endif
