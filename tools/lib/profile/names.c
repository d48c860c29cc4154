// SPDX-License-Identifier: GPL-2.0-only
#include "profile/names.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *va, const void *vb)
{
	return strcmp(*(const char *const *)va, *(const char *const *)vb);
}

bool prof_names_make(struct prof_names *names, const struct prof_samples *s)
{
	size_t i, nr = 0;

	names->nr = 0;
	names->v = malloc((s->nr_funcs + s->nr_targets + 1) *
			  sizeof(*names->v));
	if (!names->v)
		return false;
	for (i = 0; i < s->nr_funcs; i++)
		names->v[nr++] = s->funcs[i].name;
	for (i = 0; i < s->nr_targets; i++)
		names->v[nr++] = s->targets[i].name;
	qsort(names->v, nr, sizeof(*names->v), by_name);
	for (i = 0; i < nr; i++)
		if (!i || strcmp(names->v[names->nr - 1], names->v[i]))
			names->v[names->nr++] = names->v[i];
	return true;
}

void prof_names_free(struct prof_names *names)
{
	free(names->v);
	*names = (struct prof_names){ 0 };
}

size_t prof_name_index(const struct prof_names *names, const char *name)
{
	const char **at = bsearch(&name, names->v, names->nr,
				  sizeof(*names->v), by_name);

	return at - names->v;
}
