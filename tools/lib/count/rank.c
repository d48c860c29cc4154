// SPDX-License-Identifier: GPL-2.0-only
#include "count/rank.h"

#include <stdlib.h>

int count_most_first(const void *va, const void *vb)
{
	const struct count_ranked *a = va, *b = vb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

bool count_rank(struct count_list *list, const uint64_t *counts, size_t nr,
		size_t size)
{
	size_t i;

	*list = (struct count_list){ malloc((nr + 1) * sizeof(*list->v)), 0, 0 };
	if (!list->v)
		return false;
	for (i = 0; i < nr; i++) {
		if (*counts)
			list->v[list->nr++] =
				(struct count_ranked){ *counts, i };
		list->sum += *counts;
		counts = (const void *)((const char *)counts + size);
	}
	qsort(list->v, list->nr, sizeof(*list->v), count_most_first);
	return true;
}
