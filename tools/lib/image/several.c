// SPDX-License-Identifier: GPL-2.0-only
#include "image/several.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *va, const void *vb)
{
	const struct img_symbol *a = va, *b = vb;
	const int order = strcmp(a->name, b->name);

	return order ?: array_order(va, vb);
}

/* What has the same name, and overlaps or adjoins, becomes one. Returns how many are left. */
static size_t unite(struct img_symbol *v, size_t nr)
{
	size_t i, n = 0;

	qsort(v, nr, sizeof(*v), by_name);
	for (i = 0; i < nr; i++) {
		if (!n || strcmp(v[n - 1].name, v[i].name) || v[n - 1].end < v[i].start)
			v[n++] = v[i];
		else if (v[n - 1].end < v[i].end)
			v[n - 1].end = v[i].end;
	}
	return n;
}

/* From address to address, with the number of names there. Both arrays are in order. */
static void sweep(struct img_several *several, const uint64_t *starts, const uint64_t *ends,
		  size_t nr)
{
	size_t begun = 0, ended = 0, names, before = 0;

	for (; ended < nr; before = names) {
		const size_t first = begun;
		const uint64_t at = begun < nr && starts[begun] < ends[ended] ? starts[begun] :
										ends[ended];

		while (ended < nr && ends[ended] == at)
			ended++;
		while (begun < nr && starts[begun] == at)
			begun++;
		names = begun - ended;
		several->starts += names > 1 && begun > first;
		if (before < 2 && names > 1)
			several->v[several->nr].start = at;
		if (before > 1 && names < 2)
			several->v[several->nr++].end = at;
	}
}

bool img_several_find(struct img_several *several, const struct img_symtab *list)
{
	struct img_symbol *v = calloc(list->nr + 1, sizeof(*v));
	uint64_t *starts = calloc(list->nr + 1, sizeof(*starts));
	uint64_t *ends = calloc(list->nr + 1, sizeof(*ends));
	bool ok;
	size_t i, nr;

	/* Each begins at the start of another symbol. */
	several->v = calloc(list->nr + 1, sizeof(*several->v));
	ok = v && starts && ends && several->v;
	if (ok && list->nr) {
		memcpy(v, list->v, list->nr * sizeof(*v));
		nr = unite(v, list->nr);
		for (i = 0; i < nr; i++) {
			starts[i] = v[i].start;
			ends[i] = v[i].end;
		}
		qsort(starts, nr, sizeof(*starts), array_order);
		qsort(ends, nr, sizeof(*ends), array_order);
		sweep(several, starts, ends, nr);
	}
	free(v);
	free(starts);
	free(ends);
	return ok;
}

bool img_several_has(const struct img_several *several, uint64_t at)
{
	const size_t n = array_upto(several->v, several->nr, sizeof(*several->v), at);

	return n && at < several->v[n - 1].end;
}
