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
 * rounded down to a multiple of 2^(CCE-1). 0 when the hart does not say (CCV=0).
 * Never more than 134201344.
 */
__u32 ctr_entry_cycles(const struct ctr_entry *entry);

/*
 * The whole record as perf gives it to its readers, type and privilege included.
 * Cycles beyond perf's 16 bits become 65535. `predicted` is never claimed: a hart
 * without MISP cannot be told from one that predicts well.
 *
 * CTR has one type for all exceptions. @ecall says that the instruction at the
 * source is an ecall; without it an exception's type is unknown to perf.
 */
void ctr_entry_to_perf(const struct ctr_entry *entry, bool ecall,
		       struct perf_branch_entry *perf);

#endif
