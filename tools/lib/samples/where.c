// SPDX-License-Identifier: GPL-2.0-only
#include "samples/where.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* The length of a list's first word. C++ has commas within brackets. */
static size_t word_size(const char *list)
{
	size_t size, depth = 0;

	for (size = 0; list[size] && (depth || list[size] != ','); size++) {
		depth += list[size] == '(' || list[size] == '<';
		depth -= depth && (list[size] == ')' || list[size] == '>');
	}
	return size;
}

/* By all of its path, or by the last part. */
static bool is_dso(const char *name, const char *word, size_t size)
{
	const char *last = strrchr(name, '/');

	return (!strncmp(name, word, size) && !name[size]) ||
	       (last && is_dso(last + 1, word, size));
}

/* symbols: the word is of symbols, and else of binaries. */
static bool is_it(const char *name, const char *demangled, const char *word, size_t size,
		  bool symbols)
{
	return size && (symbols ? img_is_named(name, demangled, word, size) :
				  is_dso(name, word, size));
}

static bool is_in_list(const char *list, const char *name, const char *demangled,
		       bool symbols)
{
	/* Other names have commas, too. */
	if (is_it(name, demangled, list, strlen(list), symbols))
		return true;
	for (;; list++) {
		const size_t size = word_size(list);

		if (is_it(name, demangled, list, size, symbols))
			return true;
		list += size;
		if (!*list)
			return false;
	}
}

static bool find_out(struct where *where, const struct where_names *names, const char *name)
{
	const bool symbols = names == &where->symbols;
	char *demangled = NULL;
	bool wanted = false;
	size_t i;

	if (symbols && !where->demangler)
		where->demangler = img_demangler_new();
	if (symbols && where->demangler)
		demangled = img_demangle(where->demangler, name);
	for (i = 0; i < names->nr_lists && !wanted; i++)
		wanted = is_in_list(names->lists[i], name, demangled, symbols);
	free(demangled);
	return wanted;
}

/* As where_wants(). */
static int wants(struct where *where, struct where_names *names, const char *name)
{
	const uint32_t hash = hash_u64((uintptr_t)name);
	struct hash_slot *slot;
	bool wanted;

	if (!hash_room(&names->index) ||
	    !array_room(&names->v, names->nr, &names->cap, sizeof(*names->v)))
		return ERROR_NOMEM;
	hash_for_each(&names->index, slot, hash)
		if (names->v[slot->number - 1].name == name)
			return names->v[slot->number - 1].wanted;
	wanted = find_out(where, names, name);
	hash_put(&names->index, slot, hash, names->nr);
	names->v[names->nr++] = (struct where_name){ name, wanted };
	return wanted;
}

int where_wants(struct where *where, struct path_code *code,
		const struct pd_event *ev)
{
	struct path_place place;
	const char *name;
	uint64_t offset;
	int ret = 1;

	if (!where->dsos.nr_lists && !where->symbols.nr_lists)
		return 1;
	place = path_code_place(code, ev->pid, ev->sample.ip);
	if (where->dsos.nr_lists)
		ret = wants(where, &where->dsos, path_code_binary(code, &place));
	if (ret <= 0 || !where->symbols.nr_lists)
		return ret;
	return path_code_symbol(code, &place, &name, &offset) ?
		       wants(where, &where->symbols, name) : 0;
}

static void free_names(struct where_names *names)
{
	free(names->v);
	hash_free(&names->index);
}

void where_free(struct where *where)
{
	free_names(&where->dsos);
	free_names(&where->symbols);
	img_demangler_free(where->demangler);
}
