// SPDX-License-Identifier: GPL-2.0-only
#include "ctr_view.h"

/* Any address of the user's, and of the kernel's. */
static const __u64 pcs[2] = { 0x1000, ~0xfffULL };

void ctr_view_set(struct ctr_view *view, ctr_filter_t filter, bool tells_misp)
{
	unsigned int side, type;

	if (view->filter == filter && view->context.tells_misp == tells_misp)
		return;
	view->filter = filter;
	view->context = (struct ctr_entry_context){
		.tells_misp = tells_misp,
		.no_flags = !(filter & CTR_FILTER_FLAGS),
		.no_cycles = !(filter & CTR_FILTER_CYCLES),
	};
	view->max_cycles = filter & CTR_FILTER_CYCLES ? CTR_PERF_MAX_CYCLES : 0;

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
				ctr_entry_to_perf(&entry, &view->context,
						  &shown.perf);
			view->flags[side][type] = shown.words[2];
		}
	}
}
