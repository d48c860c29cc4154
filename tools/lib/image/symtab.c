// SPDX-License-Identifier: GPL-2.0-only
#include "image/symtab.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/*
 * The rule for aliases, by which one of several names is given to a place: that of a
 * function before a label's; then a global one, which is what a program calls, before
 * a weak one, for which another may stand in, before a local one, as of a part that
 * the compiler split off. Of those that are alike in this, one with a size comes first:
 * where sections begin and end, linker scripts make symbols without one. The others go by
 * the alphabet, so that the order of the table, which differs from build to build, does
 * not matter.
 */
int img_symbol_rank(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	unsigned int bind = GELF_ST_BIND(sym->st_info);

	return (type == STT_NOTYPE ? IMG_RANK_LABEL : 0) +
	       (bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2);
}

bool img_symtab_add(struct img_symtab *table, uint64_t start, uint64_t size,
		    const char *name, int rank)
{
	if (!array_room(&table->v, table->nr, &table->cap, sizeof(*table->v)))
		return false;
	table->v[table->nr++] =
		(struct img_symbol){ start, start + size, name, rank, 0 };
	return true;
}

static int by_place(const void *va, const void *vb)
{
	const struct img_symbol *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if ((a->end > a->start) != (b->end > b->start))
		return a->end > a->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Of those before, the last one that reaches behind this one. Needs theirs. */
static uint32_t outer_of(const struct img_symbol *v, size_t i)
{
	size_t outer = i;

	while (outer && v[outer - 1].end <= v[i].end)
		outer = v[outer - 1].outer;
	return outer;
}

void img_symtab_settle(struct img_symtab *table, uint64_t end)
{
	struct img_symbol *v = table->v;
	uint64_t covered = 0;
	size_t i, nr = 0;

	if (table->nr)
		qsort(v, table->nr, sizeof(*v), by_place);
	for (i = 0; i < table->nr; i++) {
		if (nr && v[nr - 1].start == v[i].start)
			continue;
		/* A label inside a function is not worth more than its name. */
		if ((v[i].end == v[i].start || v[i].rank >= IMG_RANK_LABEL) &&
		    v[i].start < covered)
			continue;
		if (v[i].end > covered)
			covered = v[i].end;
		v[nr++] = v[i];
	}
	table->nr = nr;
	for (i = 0; i < nr; i++) {
		if (v[i].end == v[i].start)
			v[i].end = i + 1 < nr ? v[i + 1].start : end;
		v[i].outer = outer_of(v, i);
	}
}

/* --- lists, in which the later hides the earlier --- */

/* From a start or an end of a symbol to the next one. */
struct part {
	uint64_t at;
	size_t owner; /* the index, plus 1, of the symbol that is seen here; 0: none yet */
	size_t free; /* at or before the next part, from this one on, that none owns */
};

static int by_rank(const void *va, const void *vb)
{
	const struct img_symbol *a = va, *b = vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static size_t free_part(struct part *parts, size_t i)
{
	while (parts[i].free != i) {
		parts[i].free = parts[parts[i].free].free;
		i = parts[i].free;
	}
	return i;
}

/* The last part is the highest end of all, where nothing is. */
static void own_parts(struct part *parts, size_t nr, const struct img_symbol *v, size_t i)
{
	size_t at = array_upto(parts, nr, sizeof(*parts), v[i].start) - 1;

	while (at = free_part(parts, at), parts[at].at < v[i].end) {
		parts[at].owner = i + 1;
		parts[at].free = at + 1;
	}
}

/* v has room for as many as there are parts. Returns how many are seen. */
static size_t parts_seen(const struct part *parts, size_t nr, const struct img_symbol *symbols,
			 struct img_symbol *v)
{
	size_t i, seen = 0, owner = 0;

	for (i = 0; i + 1 < nr; i++) {
		if (parts[i].at == parts[i + 1].at)
			continue;
		if (parts[i].owner && parts[i].owner != owner)
			v[seen++] = (struct img_symbol){
				.start = parts[i].at, .name = symbols[parts[i].owner - 1].name
			};
		owner = parts[i].owner;
		if (owner)
			v[seen - 1].end = parts[i + 1].at;
	}
	return seen;
}

bool img_symtab_settle_list(struct img_symtab *table)
{
	const size_t nr = 2 * table->nr;
	struct part *parts = calloc(nr + 1, sizeof(*parts));
	struct img_symbol *v = calloc(nr + 1, sizeof(*v));
	const bool ok = parts && v;
	size_t i;

	if (table->nr)
		qsort(table->v, table->nr, sizeof(*table->v), by_rank);
	for (i = 0; ok && i < nr; i++)
		parts[i].at = i % 2 ? table->v[i / 2].end : table->v[i / 2].start;
	if (ok)
		qsort(parts, nr, sizeof(*parts), array_order);
	for (i = 0; ok && i < nr; i++)
		parts[i].free = i;
	for (i = 0; ok && i < table->nr; i++)
		own_parts(parts, nr, table->v, i);
	table->nr = ok ? parts_seen(parts, nr, table->v, v) : 0;
	free(parts);
	if (!ok) {
		free(v);
		return false;
	}
	free(table->v);
	table->v = v;
	table->cap = nr + 1;
	return true;
}

const struct img_symbol *img_symtab_find(const struct img_symtab *table,
					 uint64_t at)
{
	size_t n = array_upto(table->v, table->nr, sizeof(*table->v), at);

	while (n && at >= table->v[n - 1].end)
		n = table->v[n - 1].outer;
	return n ? &table->v[n - 1] : NULL;
}

const struct img_symbol *img_symtab_part(const struct img_symtab *table, uint64_t at,
					 uint64_t *from, uint64_t *to)
{
	const struct img_symbol *v = table->v;
	const size_t next = array_upto(v, table->nr, sizeof(*v), at);
	size_t n = next, inside = 0;

	for (; n && at >= v[n - 1].end; n = v[n - 1].outer)
		inside = n;
	if (!n)
		return NULL;
	*from = inside ? v[inside - 1].end : v[n - 1].start;
	*to = v[n - 1].end;
	if (next < table->nr && v[next].start < *to)
		*to = v[next].start;
	return &v[n - 1];
}
