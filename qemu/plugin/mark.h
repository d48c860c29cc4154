/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a program in the guest speaks to a plug-in: an instruction that does nothing
 * (a HINT), with what is meant in a0 to a2.
 */
#ifndef PLUGIN_MARK_H
#define PLUGIN_MARK_H

#include <stdint.h>

/* slti x0, x0, 0x5c7 */
#define MARK_INSN	0x5c702013

enum mark {
	/*
	 * transfers: a1 is a number below 256 that the log's records carry. In a guest of
	 * KVM all is the guest's.
	 */
	MARK_OPEN_TASK = 1,	/* log user code of this address space */
	MARK_OPEN_HART,		/* log all code in U and S mode on this hart */
	MARK_CLOSE,		/* no more of a1 */
	/* cost */
	MARK_TEXT,		/* the code in question is from a1 up to below a2 */
	MARK_COUNT,		/* count from here, under the number a1; a2: anywhere */
	MARK_STOP,
	/* transfers again */
	MARK_OPEN_EXEC,		/* log user code of the program executed next */
	/* reads */
	MARK_WATCH,		/* count reads from a1 up to below a2, anew */
};

#ifdef __riscv
static inline void mark(enum mark what, uint64_t arg1, uint64_t arg2)
{
	register uint64_t a0 asm("a0") = what;
	register uint64_t a1 asm("a1") = arg1;
	register uint64_t a2 asm("a2") = arg2;

	asm volatile("slti x0, x0, 0x5c7" : : "r" (a0), "r" (a1), "r" (a2)
		     : "memory");
}
#endif

#endif
