/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CTR has one type for all exceptions; which one it was is told, as far as that
 * goes, from the instruction that raised it. Pure: also compiled by the tools.
 */
#ifndef CTR_CAUSE_H
#define CTR_CAUSE_H

#include <linux/types.h>

enum ctr_cause {
	CTR_CAUSE_UNKNOWN,
	CTR_CAUSE_ECALL,
	CTR_CAUSE_BREAKPOINT,
	CTR_CAUSE_DATA,		/* of a load, store or atomic access */
	CTR_CAUSE_FETCH,	/* the instruction itself could not be fetched */
};

/*
 * The cause of an exception of the instruction @insn (compressed ones in the lower
 * half). An instruction that raises nothing by itself was not fetched, if anything;
 * a system, floating-point or vector instruction may as well have been illegal, and
 * then the cause is unknown. A load that was not fetched looks like one that
 * faulted.
 */
enum ctr_cause ctr_cause_of(__u32 insn);

#endif
