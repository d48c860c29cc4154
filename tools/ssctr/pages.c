// SPDX-License-Identifier: GPL-2.0-only
#include "pages.h"

#include <stdlib.h>

/* So that memory stays small whatever a trace says: 16 MiB of table, 4 GiB of
 * pages. */
enum { FIRST_ROOM = 1 << 10, MOST_ROOM = 1 << 21 };

static uint64_t *slot(const struct pages *pages, uint64_t key)
{
	uint64_t mask = pages->room - 1;
	uint64_t i = (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

	while (pages->v[i] && pages->v[i] != key)
		i = (i + 1) & mask;
	return &pages->v[i];
}

static bool grow(struct pages *pages)
{
	struct pages more = {
		.room = pages->room ? pages->room * 2 : FIRST_ROOM,
	};
	size_t i;

	more.v = calloc(more.room, sizeof(*more.v));
	if (!more.v)
		return false;
	for (i = 0; i < pages->room; i++)
		if (pages->v[i])
			*slot(&more, pages->v[i]) = pages->v[i];
	free(pages->v);
	pages->v = more.v;
	pages->room = more.room;
	return true;
}

bool pages_add(struct pages *pages, uint64_t page)
{
	uint64_t key = page + 1, *v;

	pages->last = key;
	if (pages->nr >= pages->room / 2 && pages->room < MOST_ROOM &&
	    !grow(pages))
		return false;
	v = slot(pages, key);
	if (*v)
		return true;
	if (pages->nr >= MOST_ROOM / 2) {
		pages->full = true;
		return true;
	}
	*v = key;
	pages->nr++;
	return true;
}

void pages_free(struct pages *pages)
{
	free(pages->v);
}
