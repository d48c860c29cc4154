/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an event wants to see: perf's branch_sample_type as a set of modes and
 * transfer types. Sets of several events unite to what the hart records; each
 * event's own set then says which of those records it is shown. Pure: also
 * compiled by the tools.
 */
#ifndef CTR_FILTER_H
#define CTR_FILTER_H

#include "ctr_entry.h"

/* Modes and forms in the low bits, transfer types (CTR_TYPES()) in the upper half. */
typedef __u32 ctr_filter_t;

#define CTR_FILTER_U		0x1U
#define CTR_FILTER_S		0x2U
/* The calls that have not returned, not the transfers as they came. */
#define CTR_FILTER_CALL_STACK	0x4U
/* What is told of each: whether it was predicted, and its cycles. */
#define CTR_FILTER_FLAGS	0x8U
#define CTR_FILTER_CYCLES	0x10U
#define CTR_FILTER_TYPES_SHIFT	16

static inline __u32 ctr_filter_types(ctr_filter_t filter)
{
	return filter >> CTR_FILTER_TYPES_SHIFT;
}

/* Does it want some kinds of transfers only? A call stack, as a log of all, does not. */
static inline bool ctr_filter_wants_types(ctr_filter_t filter)
{
	return !(ctr_filter_types(filter) & CTR_TYPES(CTR_TYPE_NONE));
}

/*
 * Can one buffer serve both? Not a call stack and a log of transfers. Nothing is in
 * nobody's way.
 */
static inline bool ctr_filter_fit(ctr_filter_t one, ctr_filter_t other)
{
	return !one || !other || !((one ^ other) & CTR_FILTER_CALL_STACK);
}

/* Is all that @filter asks for among what was recorded by @recorded? */
static inline bool ctr_filter_covers(ctr_filter_t recorded, ctr_filter_t filter)
{
	return recorded && ctr_filter_fit(recorded, filter) &&
	       !(filter & ~recorded & ~(CTR_FILTER_FLAGS | CTR_FILTER_CYCLES));
}

/*
 * The set that PERF_SAMPLE_BRANCH_* bits ask for.
 *
 * Returns 0; -EINVAL for bits that perf drops by itself when refused so, that are
 * not known here, or that contradict each other; -EOPNOTSUPP for what no hart can
 * do.
 */
int ctr_filter_parse(__u64 branch_sample_type, ctr_filter_t *filter);

/*
 * The value of sctrctl that records all of @filter, and as little else as the
 * hart's filter bits allow; @writable has the bits that the hart implements. With
 * S in the set it freezes on counter overflow. 0 for the empty set, and for call
 * stacks on a hart without RAS emulation. Sets that do not fit are not united.
 */
__u64 ctr_filter_sctrctl(ctr_filter_t filter, __u64 writable);

/*
 * Show @entry to an event with @filter? A side in a mode that the event does not
 * see is blanked in @entry as the hart does for modes that it does not record
 * ("Privilege Mode Transitions"); a record left without a meaning is not shown.
 */
bool ctr_filter_pass(ctr_filter_t filter, struct ctr_entry *entry);

#endif
