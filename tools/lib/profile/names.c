// SPDX-License-Identifier: GPL-2.0-only
#include "profile/names.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *va, const void *vb)
{
	return strcmp(*(const char *const *)va, *(const char *const *)vb);
}

bool prof_names_add(struct prof_names *names, const char *name)
{
	if (!name)
		return true;
	if (!array_room(&names->v, names->nr, &names->cap, sizeof(*names->v)))
		return false;
	names->v[names->nr++] = name;
	return true;
}

void prof_names_sort(struct prof_names *names)
{
	size_t i, nr = 0;

	if (names->nr)
		qsort(names->v, names->nr, sizeof(*names->v), by_name);
	for (i = 0; i < names->nr; i++)
		if (!nr || strcmp(names->v[nr - 1], names->v[i]))
			names->v[nr++] = names->v[i];
	names->nr = nr;
}

bool prof_names_make(struct prof_names *names, const struct prof_samples *s)
{
	bool done = true;
	size_t i;

	for (i = 0; done && i < s->nr_funcs; i++)
		done = prof_names_add(names, s->funcs[i].name);
	for (i = 0; done && i < s->nr_targets; i++)
		done = prof_names_add(names, s->targets[i].name);
	prof_names_sort(names);
	return done;
}

size_t prof_name_index(const struct prof_names *names, const char *name)
{
	const char **at = bsearch(&name, names->v, names->nr,
				  sizeof(*names->v), by_name);

	return at - names->v;
}
