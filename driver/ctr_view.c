// SPDX-License-Identifier: GPL-2.0-only
#include "ctr_view.h"

/* Any address of the user's, and of the kernel's. */
static const __u64 pcs[2] = { 0x1000, ~0xfffULL };

void ctr_view_set(struct ctr_view *view, ctr_filter_t filter, bool tells_misp)
{
	const struct ctr_entry_context context = { .tells_misp = tells_misp };
	unsigned int side, type;

	if (view->filter == filter && view->tells_misp == tells_misp)
		return;
	view->filter = filter;
	view->tells_misp = tells_misp;

	for (side = 0; side < 2; side++) {
		for (type = 0; type < CTR_TYPE_COUNT; type++) {
			struct ctr_entry entry = {
				.source = pcs[side] | CTR_SOURCE_V,
				.target = pcs[side],
				.data = type,
			};
			union {
				struct perf_branch_entry perf;
				__u64 words[3];
			} shown = {};

			if (type != CTR_TYPE_EXCEPTION &&
			    ctr_filter_pass(filter, &entry))
				ctr_entry_to_perf(&entry, &context, &shown.perf);
			view->flags[side][type] = shown.words[2];
		}
	}
}
