// SPDX-License-Identifier: GPL-2.0-only
#include "hot/twins.h"
#include "hot/internal.h"

#include <stdlib.h>
#include <string.h>

struct named {
	const struct pd_dso *build; /* which has a build id; NULL: it is not known */
	const char *name; /* "": the code of the binary that is in no known function */
	const char *binary; /* the last part of its name */
	uint64_t size; /* bytes; 0: not known */
	uint32_t number;
};

struct list {
	struct named *v;
	size_t nr;
};

static int by_name(const struct named *a, const struct named *b)
{
	return strcmp(a->name, b->name) ?: strcmp(a->binary, b->binary);
}

static int by_size(const struct named *a, const struct named *b)
{
	const int ret = by_name(a, b);

	if (ret)
		return ret;
	BY(size);
	return 0;
}

static int by_build(const struct named *a, const struct named *b)
{
	if (!a->build || !b->build)
		return !a->build - !b->build;
	return (int)a->build->build_id_size - (int)b->build->build_id_size ?:
	       memcmp(a->build->build_id, b->build->build_id, a->build->build_id_size);
}

/* The file of a build may have another name. What has no build id has only its names. */
static int by_build_and_size(const struct named *a, const struct named *b)
{
	const int ret = by_build(a, b) ?: a->build ? strcmp(a->name, b->name) : by_name(a, b);

	if (ret)
		return ret;
	BY(size);
	return 0;
}

static int by_build_and_names(const struct named *a, const struct named *b)
{
	return by_build(a, b) ?: by_size(a, b);
}

/*
 * Of memory without a file, a counts file has no other name. What a program made in it has the
 * names of a list, whose own name has the number of the process, or of none.
 */
static const char *binary_of(const struct hot *hot, uint32_t function, bool counts)
{
	const struct hot_function *f = &hot->functions[function];
	const struct path_place *at = &hot->places[f->first].at;
	const char *binary = path_code_binary(hot->code, at);

	if (counts && !f->known && !path_is_kernel(at->offset) &&
	    img_is_anonymous(binary, at->dso ? at->dso->build_id_size : 0))
		return "[unknown]";
	if (pd_is_jitdump(binary))
		return "//anon";
	return basename(binary);
}

/* counts: one of the two is a counts file. False: out of memory. */
static bool make_list(const struct hot *hot, bool counts, struct list *list)
{
	uint32_t i;

	list->v = malloc((hot->nr_functions + 1) * sizeof(*list->v));
	if (!list->v)
		return false;
	for (i = 0; i < hot->nr_functions; i++) {
		const struct hot_function *f = &hot->functions[i];
		const struct pd_dso *dso = hot->places[f->first].at.dso;
		struct named *named = &list->v[list->nr];

		if (f->row != i)
			continue;
		list->nr++;
		*named = (struct named){
			.build = dso && dso->build_id_size ? dso : NULL,
			.name = f->known ? hot_name(hot, i) : "",
			.binary = binary_of(hot, i, counts),
			.number = i,
		};
		if (f->known)
			named->size = path_code_size(hot->code, &hot->places[f->first].at);
	}
	return true;
}

typedef int order(const struct named *a, const struct named *b);

/* Those that are alike keep the order of their numbers. */
static int in_order(const void *va, const void *vb, void *arg)
{
	order *const *compare = arg;
	const struct named *a = va, *b = vb;
	const int ret = (*compare)(a, b);

	if (ret)
		return ret;
	BY(number);
	return 0;
}

/* Take those out of both lists that are the same by this order. */
static void match(struct hot_twins *twins, struct list *a, struct list *b, order *compare)
{
	size_t i = 0, k = 0, nr_a = 0, nr_b = 0;

	qsort_r(a->v, a->nr, sizeof(*a->v), in_order, &compare);
	qsort_r(b->v, b->nr, sizeof(*b->v), in_order, &compare);
	while (i < a->nr || k < b->nr) {
		const int order = i == a->nr ? 1 :
				  k == b->nr ? -1 : compare(&a->v[i], &b->v[k]);

		if (order < 0) {
			a->v[nr_a++] = a->v[i++];
		} else if (order > 0) {
			b->v[nr_b++] = b->v[k++];
		} else {
			twins->v[0][a->v[i++].number] = twins->nr;
			twins->v[1][b->v[k++].number] = twins->nr++;
		}
	}
	a->nr = nr_a;
	b->nr = nr_b;
}

static void number_rest(struct hot_twins *twins, const struct list *list, uint32_t *v)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		v[list->v[i].number] = twins->nr++;
}

/* What a program made of one name, together. */
static void number_rows(const struct hot *hot, uint32_t *v)
{
	uint32_t i;

	for (i = 0; i < hot->nr_functions; i++)
		v[i] = v[hot->functions[i].row];
}

bool hot_find_twins(const struct hot *old, const struct hot *now, struct hot_twins *twins)
{
	const bool counts = (old->how | now->how) & HOT_SUMS;
	struct list a = { 0 }, b = { 0 };
	bool ok;

	*twins = (struct hot_twins){ .v = {
		calloc(old->nr_functions + 1, sizeof(**twins->v)),
		calloc(now->nr_functions + 1, sizeof(**twins->v)) } };
	ok = twins->v[0] && twins->v[1] && make_list(old, counts, &a) &&
	     make_list(now, counts, &b);
	if (ok) {
		match(twins, &a, &b, by_build_and_names);
		match(twins, &a, &b, by_build_and_size);
		match(twins, &a, &b, by_size);
		match(twins, &a, &b, by_name);
		number_rest(twins, &a, twins->v[0]);
		number_rest(twins, &b, twins->v[1]);
		number_rows(old, twins->v[0]);
		number_rows(now, twins->v[1]);
	}
	free(a.v);
	free(b.v);
	return ok;
}

void hot_twins_free(struct hot_twins *twins)
{
	free(twins->v[0]);
	free(twins->v[1]);
}
