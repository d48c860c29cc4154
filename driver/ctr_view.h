/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one event is shown, made ready for speed: the filter and perf's form of a
 * record as one look into a table. ctr_filter_pass() and ctr_entry_to_perf() say
 * what is right; this says the same, or that a record wants a closer look at their
 * hands. Pure: also compiled by the tools.
 */
#ifndef CTR_VIEW_H
#define CTR_VIEW_H

#include "ctr_entry.h"
#include "ctr_filter.h"

struct ctr_view {
	ctr_filter_t filter;
	struct ctr_entry_context context;	/* of all but exceptions */
	__u32 max_cycles;			/* 0: they are not told */
	/*
	 * The last word of perf's entry for records whose source and target are
	 * both the user's, or both the kernel's. 0: not shown, or not so easily.
	 */
	__u64 flags[2][CTR_TYPE_COUNT];
};

/*
 * Show what an event with @filter sees of a hart that was (@tells_misp) or was not
 * seen to set MISP. Does nothing if @view is of that already.
 */
void ctr_view_set(struct ctr_view *view, ctr_filter_t filter, bool tells_misp);

/*
 * Fill in *@perf if the case is clear: the record is shown, both of its sides are,
 * it is no exception and not mispredicted. False otherwise, *@perf is then
 * undefined, and the record may still be one to show.
 */
static inline bool ctr_view_quick(const struct ctr_view *view,
				  const struct ctr_entry *entry,
				  struct perf_branch_entry *perf)
{
	/* The word that perf_branch_entry declares as bit fields. */
	struct {
		__u64 from, to, flags;
	} *words = (void *)perf;
	__u64 flags = view->flags[entry->source >> 63][ctr_entry_type(entry)];

	if (!flags || (entry->source ^ entry->target) >> 63 ||
	    ctr_entry_mispredicted(entry))
		return false;
	if (entry->data & CTR_DATA_CCV)
		flags |= (__u64)ctr_entry_perf_cycles(entry, view->max_cycles)
			 << 4;
	words->from = ctr_entry_from(entry);
	words->to = ctr_entry_to(entry);
	words->flags = flags;
	return true;
}

#endif
