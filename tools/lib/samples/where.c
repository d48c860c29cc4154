// SPDX-License-Identifier: GPL-2.0-only
#include "samples/where.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Is it the name up to a character that ends names, or up to its own end? */
static bool is_name(const char *name, const char *word, size_t size, char end)
{
	return !strncmp(name, word, size) && (!name[size] || name[size] == end);
}

/* Is the name one of the words of a list? C++ has commas within brackets. */
static bool is_in_list(const char *list, const char *name, char end)
{
	size_t size, depth = 0;

	for (;; list++) {
		for (size = 0; list[size] && (depth || list[size] != ','); size++) {
			depth += list[size] == '(' || list[size] == '<';
			depth -= depth && (list[size] == ')' || list[size] == '>');
		}
		if (size && is_name(name, list, size, end))
			return true;
		list += size;
		if (!*list)
			return false;
	}
}

static bool is_in_lists(const struct where_names *names, const char *name, char end)
{
	size_t i;

	for (i = 0; i < names->nr_lists; i++)
		if (is_in_list(names->lists[i], name, end))
			return true;
	return false;
}

static bool want_dso(const struct where *where, const char *name)
{
	const char *last = strrchr(name, '/');

	return is_in_lists(&where->dsos, name, 0) ||
	       (last && is_in_lists(&where->dsos, last + 1, 0));
}

/* What compilers append to the symbol of a part is the function's, too: main.cold. */
static bool want_symbol(struct where *where, const char *name)
{
	char *demangled;
	bool wanted;

	if (is_in_lists(&where->symbols, name, '.'))
		return true;
	if (!where->demangler)
		where->demangler = img_demangler_new();
	demangled = where->demangler ? img_demangle(where->demangler, name) : NULL;
	wanted = demangled && is_in_lists(&where->symbols, demangled, '(');
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
	wanted = names == &where->dsos ? want_dso(where, name) : want_symbol(where, name);
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
