/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second opinion on what an instruction can do, written from the instruction
 * set alone: the tests hold the module's records against it.
 */
#ifndef SELFTESTS_TRANSFER_H
#define SELFTESTS_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

struct transfer {
	int type;		/* PERF_BR_* */
	uint64_t filters;	/* PERF_SAMPLE_BRANCH_* that select it, but ANY */
	uint64_t target;	/* where the instruction says it, else 0 */
	bool trap;		/* into or out of another mode */
};

/*
 * What the instruction at @pc of this task or of the kernel can do. False if it
 * makes no transfer by itself, or cannot be read: then it was left by an interrupt
 * or an exception, or not at all. Kernel code takes CAP_SYS_RAWIO.
 */
bool transfer_at(uint64_t pc, struct transfer *transfer);

/* Is it one that the kernel patches while it runs? It may have been a jump. */
bool transfer_patched(uint64_t pc);

static inline bool in_kernel(uint64_t pc)
{
	return pc >> 63;
}

/* Does straight code lead from @pc, where one branch went, to the next at @to? */
static inline bool straight(uint64_t pc, uint64_t to)
{
	return pc <= to && to - pc < 4096;
}

#endif
