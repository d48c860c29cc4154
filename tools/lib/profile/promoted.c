// SPDX-License-Identifier: GPL-2.0-only
#include "profile/promoted.h"
#include "base/array.h"

#include <stdlib.h>

bool prof_promoted_add(struct prof_promoted *calls, uint32_t scope, struct prof_loc loc)
{
	if (!array_room(&calls->v, calls->nr, &calls->cap, sizeof(*calls->v)))
		return false;
	calls->v[calls->nr++] = (struct prof_promoted_call){ scope, loc };
	return true;
}

static int order(const void *va, const void *vb)
{
	const struct prof_promoted_call *a = va, *b = vb;

	if (a->scope != b->scope)
		return a->scope < b->scope ? -1 : 1;
	return prof_compare_locs(a->loc, b->loc);
}

void prof_promoted_sort(struct prof_promoted *calls)
{
	if (calls->nr)
		qsort(calls->v, calls->nr, sizeof(*calls->v), order);
}

bool prof_promoted_has(const struct prof_promoted *calls, uint32_t scope, struct prof_loc loc)
{
	const struct prof_promoted_call call = { scope, loc };

	return calls->nr && bsearch(&call, calls->v, calls->nr, sizeof(call), order);
}
