// SPDX-License-Identifier: GPL-2.0-only
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/errno.h>
#else
#include <assert.h>
#include <errno.h>
#endif

#include "ctr_filter.h"

/* In the UAPI since 6.8: headers of older systems do not have it. */
#define BRANCH_COUNTERS		(1U << 19)

/* There is no transactional memory, and records hold no counters. */
#define REFUSED	(PERF_SAMPLE_BRANCH_ABORT_TX | PERF_SAMPLE_BRANCH_IN_TX | \
		 PERF_SAMPLE_BRANCH_NO_TX | BRANCH_COUNTERS)

#define MODES	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | \
		 PERF_SAMPLE_BRANCH_HV)

/* What is shown of a record, not which records: any hart can do it. */
#define SHAPES	(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | \
		 PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_HW_INDEX | \
		 PERF_SAMPLE_BRANCH_PRIV_SAVE)

/* Which records. */
#define KINDS	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL | \
		 PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL | \
		 PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_IND_JUMP | \
		 PERF_SAMPLE_BRANCH_CALL)

#define SERVED	(MODES | SHAPES | KINDS | PERF_SAMPLE_BRANCH_CALL_STACK)

/* Every bit that this kernel knows has an answer, and one only. */
static_assert(!((PERF_SAMPLE_BRANCH_MAX - 1) & ~(SERVED | REFUSED)),
	      "a new PERF_SAMPLE_BRANCH bit");
static_assert(!(SERVED & REFUSED), "a bit with two answers");

/* Not-taken branches are never exported: readers would take them for taken. */
#define TYPES_ANY	(CTR_TYPES_ALL & ~CTR_TYPES(CTR_TYPE_NOT_TAKEN))

/*
 * A co-routine swap is a call and a return. Traps and their returns count as
 * far calls and returns, as on other architectures. A PLT stub's jump with
 * linkage (type 14) is a jump.
 */
static const struct {
	__u32 perf;
	__u32 types;
} kinds[] = {
	{ PERF_SAMPLE_BRANCH_ANY, TYPES_ANY },
	{ PERF_SAMPLE_BRANCH_ANY_CALL,
	  CTR_TYPES(CTR_TYPE_IND_CALL) | CTR_TYPES(CTR_TYPE_DIR_CALL) |
	  CTR_TYPES(CTR_TYPE_CO_SWAP) | CTR_TYPES(CTR_TYPE_EXCEPTION) |
	  CTR_TYPES(CTR_TYPE_INTERRUPT) },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN,
	  CTR_TYPES(CTR_TYPE_RETURN) | CTR_TYPES(CTR_TYPE_CO_SWAP) |
	  CTR_TYPES(CTR_TYPE_TRAP_RETURN) },
	{ PERF_SAMPLE_BRANCH_IND_CALL,
	  CTR_TYPES(CTR_TYPE_IND_CALL) | CTR_TYPES(CTR_TYPE_CO_SWAP) },
	{ PERF_SAMPLE_BRANCH_COND, CTR_TYPES(CTR_TYPE_TAKEN) },
	{ PERF_SAMPLE_BRANCH_IND_JUMP,
	  CTR_TYPES(CTR_TYPE_IND_JUMP) | CTR_TYPES(CTR_TYPE_IND_LINK_JUMP) },
	{ PERF_SAMPLE_BRANCH_CALL, CTR_TYPES(CTR_TYPE_DIR_CALL) },
};

/*
 * What RAS emulation leaves in the buffer, calls that have not returned, also from
 * a hart that does not say types.
 */
#define TYPES_CALL_STACK						\
	(CTR_TYPES(CTR_TYPE_NONE) | CTR_TYPES(CTR_TYPE_IND_CALL) |	\
	 CTR_TYPES(CTR_TYPE_DIR_CALL) | CTR_TYPES(CTR_TYPE_CO_SWAP))

static ctr_filter_t parse_shapes(__u64 branch_sample_type)
{
	ctr_filter_t filter = CTR_FILTER_FLAGS | CTR_FILTER_CYCLES;

	if (branch_sample_type & PERF_SAMPLE_BRANCH_NO_FLAGS)
		filter &= ~CTR_FILTER_FLAGS;
	if (branch_sample_type & PERF_SAMPLE_BRANCH_NO_CYCLES)
		filter &= ~CTR_FILTER_CYCLES;
	return filter;
}

static int parse_call_stack(__u64 branch_sample_type, ctr_filter_t *filter)
{
	if (branch_sample_type & KINDS)
		return -EINVAL;
	/*
	 * In the kernel calls and returns do not pair: it enters its handlers
	 * with a return address made by hand, and changes stacks.
	 */
	if (branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL)
		return -EOPNOTSUPP;
	*filter = CTR_FILTER_U | CTR_FILTER_CALL_STACK |
		  parse_shapes(branch_sample_type) |
		  TYPES_CALL_STACK << CTR_FILTER_TYPES_SHIFT;
	return 0;
}

int ctr_filter_parse(__u64 branch_sample_type, ctr_filter_t *filter)
{
	__u32 types = 0;
	unsigned int i;

	if (branch_sample_type & ~(__u64)SERVED)
		return -EINVAL;
	/* perf sets HV along with others by itself; alone it means a guest. */
	if (!(branch_sample_type &
	      (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)))
		return -EOPNOTSUPP;
	if (branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		return parse_call_stack(branch_sample_type, filter);

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (branch_sample_type & kinds[i].perf)
			types |= kinds[i].types;

	*filter = types << CTR_FILTER_TYPES_SHIFT |
		  parse_shapes(branch_sample_type);
	if (branch_sample_type & PERF_SAMPLE_BRANCH_USER)
		*filter |= CTR_FILTER_U;
	if (branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL)
		*filter |= CTR_FILTER_S;
	return 0;
}

__u64 ctr_filter_sctrctl(ctr_filter_t filter, __u64 writable)
{
	__u64 inhibit;

	if (!filter)
		return 0;

	/* The filter bits are ignored then ("RAS Emulation Mode"). */
	if (filter & CTR_FILTER_CALL_STACK)
		return writable & CTR_CTL_RASEMU ?
		       CTR_CTL_RASEMU | CTR_CTL_U : 0;

	inhibit = CTR_CTL_TYPE_INHIBITS & ~ctr_filter_types(filter);
	inhibit <<= CTR_CTL_TYPE_SHIFT;

	return writable & (inhibit |
			   (filter & CTR_FILTER_U ? CTR_CTL_U : 0) |
			   (filter & CTR_FILTER_S ?
			    CTR_CTL_S | CTR_CTL_LCOFIFRZ : 0));
}

bool ctr_filter_pass(ctr_filter_t filter, struct ctr_entry *entry)
{
	enum ctr_type type = ctr_entry_type(entry);
	__u64 from = ctr_entry_from(entry);
	__u64 to = ctr_entry_to(entry);
	bool from_seen, to_seen;

	/* A hart that does not say types can only serve those who want all. */
	if (!(ctr_filter_types(filter) & CTR_TYPES(type)))
		return false;

	from_seen = filter & (from >> 63 ? CTR_FILTER_S : CTR_FILTER_U);
	to_seen = filter & (to >> 63 ? CTR_FILTER_S : CTR_FILTER_U);
	if (from_seen && to_seen)
		return true;

	/*
	 * Crossing the border of what the event sees. By itself, the hart would
	 * have recorded a trap into the kernel without its source, and a return
	 * out of it without its target; nothing else.
	 */
	if (type == CTR_TYPE_TRAP_RETURN && from_seen && from >> 63) {
		entry->target = 0;
		return true;
	}
	if ((type == CTR_TYPE_EXCEPTION || type == CTR_TYPE_INTERRUPT) &&
	    to_seen && to >> 63) {
		entry->source = CTR_SOURCE_V;
		return true;
	}
	return false;
}
