// SPDX-License-Identifier: GPL-2.0-only
#include "profile/alike.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function that ran. */
struct ran {
	const struct prof_scope *scope;
	size_t name_size;
	uint64_t count; /* of the straight lines that begin in it */
};

static int by_name(const struct ran *a, const struct ran *b)
{
	const size_t size = a->name_size < b->name_size ? a->name_size : b->name_size;
	const int ret = memcmp(a->scope->name, b->scope->name, size);

	if (ret || a->name_size == b->name_size)
		return ret;
	return a->name_size < b->name_size ? -1 : 1;
}

static int by_name_and_count(const void *va, const void *vb)
{
	const struct ran *a = va, *b = vb;
	const int ret = by_name(a, b);

	if (ret || a->count == b->count)
		return ret;
	return a->count > b->count ? -1 : 1;
}

/*
 * May the functions be copies of one, as the parts of a function are, and the static functions of
 * a header? Units in different folders may have different paths for the same header.
 */
static bool is_same(const struct prof_scope *a, const struct prof_scope *b)
{
	return !a->file || !b->file || !strcmp(a->file, b->file) ||
	       (a->line == b->line && !strcmp(basename(a->file), basename(b->file)));
}

/* The functions of one name, the hottest of which is the first. Returns false if out of memory. */
static bool add_name(struct prof_alike *alike, const struct ran *v, size_t nr, uint64_t *most)
{
	const struct prof_scope *other = NULL;
	uint64_t sum = 0;
	size_t i;

	for (i = 1; i < nr; i++) {
		if (is_same(v[0].scope, v[i].scope))
			continue;
		sum += v[i].count;
		other = other ?: v[i].scope;
	}
	if (!other)
		return true;
	alike->lines += sum;
	alike->nr++;
	if (sum <= *most)
		return true;
	*most = sum;
	free(alike->first);
	if (asprintf(&alike->first, "%.*s in %s and in %s", (int)v[0].name_size,
		     v[0].scope->name, v[0].scope->file, other->file) < 0)
		alike->first = NULL;
	return alike->first;
}

static bool add_names(struct prof_alike *alike, struct ran *v, size_t nr)
{
	size_t first, end;
	uint64_t most = 0;
	bool done = true;

	qsort(v, nr, sizeof(*v), by_name_and_count);
	for (first = 0; done && first < nr; first = end) {
		for (end = first + 1; end < nr && !by_name(&v[first], &v[end]);)
			end++;
		done = add_name(alike, v + first, end - first, &most);
	}
	return done;
}

int prof_alike_find(struct prof_alike *alike, const struct prof_lines *lines,
		    const struct prof *prof, enum prof_compiler compiler)
{
	struct ran *v = calloc(lines->nr_scopes + 1, sizeof(*v));
	bool done = v;
	size_t i, nr = 0;

	*alike = (struct prof_alike){ 0 };
	for (i = 0; done && i < prof->nr_ranges; i++) {
		const struct prof_span *span =
			prof_lines_span(lines, prof->ranges[i].start);

		if (span)
			v[prof_lines_outermost(lines, span->scope)].count += prof->ranges[i].count;
	}
	for (i = 0; done && i < lines->nr_scopes; i++) {
		const struct prof_scope *scope = &lines->scopes[i];

		if (v[i].count)
			v[nr++] = (struct ran){ scope, prof_name_size(scope->name, compiler),
						v[i].count };
	}
	done = done && add_names(alike, v, nr);
	free(v);
	return done ? 0 : PD_ENOMEM;
}

void prof_alike_free(struct prof_alike *alike)
{
	free(alike->first);
	*alike = (struct prof_alike){ 0 };
}
