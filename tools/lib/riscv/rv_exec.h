/* SPDX-License-Identifier: GPL-2.0-only */
/* What instructions in a row do to the integer registers, as far as registers tell. */
#ifndef RV_EXEC_H
#define RV_EXEC_H

#include <stdbool.h>
#include <stdint.h>

struct rv_regs {
	uint32_t known; /* a bit for each register; x[0] is 0 */
	uint64_t x[32];
};

/* Are all registers that both know the same? */
bool rv_regs_agree(const struct rv_regs *a, const struct rv_regs *b);

/*
 * The instruction at pc, of size bytes, is executed on a hart of 64 bits. What comes
 * from memory, from another kind of register, or by an instruction that is not known
 * here, is not known any more.
 */
void rv_exec(struct rv_regs *regs, uint64_t pc, uint32_t opcode,
	     unsigned int size);

#endif
