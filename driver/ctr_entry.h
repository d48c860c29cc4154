/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One record: what the hart's three entry registers say, as perf's branch entry.
 * Pure: also compiled by the tools.
 */
#ifndef CTR_ENTRY_H
#define CTR_ENTRY_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <uapi/linux/perf_event.h>
#else
#include <stdbool.h>
#include <linux/types.h>
#include <linux/perf_event.h>
#endif

#include "ctr_cause.h"
#include "ctr_regs.h"

/* ctrsource, ctrtarget and ctrdata as read. */
struct ctr_entry {
	__u64 source;
	__u64 target;
	__u64 data;
};

/* Was anything recorded in this entry? */
static inline bool ctr_entry_valid(const struct ctr_entry *entry)
{
	return entry->source & CTR_SOURCE_V;
}

/* The transferring instruction's address, or 0 where its mode is not recorded. */
static inline __u64 ctr_entry_from(const struct ctr_entry *entry)
{
	return entry->source & CTR_SOURCE_PC;
}

/* Where it went, or 0 where that mode is not recorded. */
static inline __u64 ctr_entry_to(const struct ctr_entry *entry)
{
	return entry->target & CTR_TARGET_PC;
}

static inline enum ctr_type ctr_entry_type(const struct ctr_entry *entry)
{
	return (enum ctr_type)(entry->data & CTR_DATA_TYPE);
}

/*
 * Cycles since the record before, by "Cycle Counting": exact below 4096, above it
 * rounded down to a multiple of 2^(CCE-1), as the hart does. 0 when it does not say
 * (CCV=0). Never more than 134201344.
 *
 * The mean of what is lost by rounding, which the specification says may be added,
 * is not: it is at most 3 cycles of 32768 as far as perf's field goes, and so no
 * figure is higher than what passed.
 */
static inline __u32 ctr_entry_cycles(const struct ctr_entry *entry)
{
	__u32 ccm = (entry->data & CTR_DATA_CCM) >> CTR_DATA_CCM_SHIFT;
	__u32 cce = (entry->data & CTR_DATA_CCE) >> CTR_DATA_CCE_SHIFT;

	if (!(entry->data & CTR_DATA_CCV))
		return 0;
	return cce ? (4096 + ccm) << (cce - 1) : ccm;
}

/* As much as perf's 16 bits hold. */
#define CTR_PERF_MAX_CYCLES	0xffffU

/* The same for perf: what is more than @max becomes @max. */
static inline __u16 ctr_entry_perf_cycles(const struct ctr_entry *entry,
					  __u32 max)
{
	__u32 cycles = ctr_entry_cycles(entry);

	return cycles > max ? max : cycles;
}

/* Did the branch predictor err here? Then the hart implements MISP. */
static inline bool ctr_entry_mispredicted(const struct ctr_entry *entry)
{
	return entry->target & CTR_TARGET_MISP;
}

/*
 * What is not in a record, but is known of it: @tells_misp says that the hart has
 * been seen to set MISP, so that a branch without it was predicted; @cause is that
 * of an exception. @no_flags and @no_cycles say that the reader does not want to be
 * told whether a branch was predicted, or how many cycles passed.
 */
struct ctr_entry_context {
	bool tells_misp;
	enum ctr_cause cause;
	bool no_flags;
	bool no_cycles;
};

/*
 * The whole record as perf gives it to its readers, type and privilege included.
 *
 * perf has no name for a breakpoint: it is given as PERF_BR_NEW_ARCH_1, the first
 * of those that perf leaves to architectures. An exception of unknown cause is
 * PERF_BR_UNKNOWN.
 */
void ctr_entry_to_perf(const struct ctr_entry *entry,
		       const struct ctr_entry_context *context,
		       struct perf_branch_entry *perf);

#endif
