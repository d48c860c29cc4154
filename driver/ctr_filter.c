// SPDX-License-Identifier: GPL-2.0-only
#ifdef __KERNEL__
#include <linux/errno.h>
#else
#include <errno.h>
#endif

#include "ctr_filter.h"

/* In the UAPI since 6.8: headers of older systems do not have it. */
#define BRANCH_COUNTERS		(1U << 19)

#define MODES	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | \
		 PERF_SAMPLE_BRANCH_HV)

/* What is shown of a record, not which records: any hart can do it. */
#define SHAPES	(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | \
		 PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_HW_INDEX | \
		 PERF_SAMPLE_BRANCH_PRIV_SAVE)

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

int ctr_filter_parse(__u64 branch_sample_type, ctr_filter_t *filter)
{
	__u64 known = MODES | SHAPES | PERF_SAMPLE_BRANCH_CALL_STACK;
	__u32 types = 0;
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		known |= kinds[i].perf;
		if (branch_sample_type & kinds[i].perf)
			types |= kinds[i].types;
	}

	/* No transactional memory, and no counters in the records. */
	if (branch_sample_type & (PERF_SAMPLE_BRANCH_ABORT_TX |
				  PERF_SAMPLE_BRANCH_IN_TX |
				  PERF_SAMPLE_BRANCH_NO_TX | BRANCH_COUNTERS))
		return -EINVAL;
	if (branch_sample_type & ~known)
		return -EINVAL;
	/* RAS emulation cannot share the buffer with other records. */
	if (branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		return -EOPNOTSUPP;
	/* perf sets HV along with others by itself; alone it means a guest. */
	if (!(branch_sample_type &
	      (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)))
		return -EOPNOTSUPP;

	*filter = types << CTR_FILTER_TYPES_SHIFT;
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
