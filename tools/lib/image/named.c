// SPDX-License-Identifier: GPL-2.0-only
/* The functions that a name of a user's means. */
#include "image/demangle.h"
#include "image/internal.h"

#include <stdlib.h>
#include <string.h>

/* Parts that GCC has split off are not where a function is called. */
static bool can_be_called(const GElf_Sym *sym, const char *symbol)
{
	const unsigned int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && !strstr(symbol, ".cold");
}

static bool means(struct img_demangler *demangler, const char *name, const char *symbol)
{
	char *demangled = img_demangle(demangler, symbol);
	const bool is = img_is_named(symbol, demangled, name, strlen(name));

	free(demangled);
	return is;
}

static bool has(const uint64_t *v, size_t nr, uint64_t address)
{
	while (nr && v[nr - 1] != address)
		nr--;
	return nr;
}

size_t img_find_named(struct img_file *file, struct img_demangler *demangler, const char *name,
		      const char *symbols[IMG_MAX_NAMED])
{
	uint64_t addresses[IMG_MAX_NAMED];
	struct img_symbols all;
	const char *symbol;
	size_t nr = 0;
	GElf_Sym sym;

	if (file->state != IMG_OK || !img_file_some_symbols(file, &all))
		return 0;
	while ((symbol = img_next_symbol(&all, &sym)))
		if (can_be_called(&sym, symbol) && !strcmp(symbol, name)) {
			symbols[0] = symbol;
			return 1;
		}
	img_file_some_symbols(file, &all);
	while (nr < IMG_MAX_NAMED && (symbol = img_next_symbol(&all, &sym))) {
		/* A constructor has two symbols at one place. */
		if (!can_be_called(&sym, symbol) || !means(demangler, name, symbol) ||
		    has(addresses, nr, sym.st_value))
			continue;
		addresses[nr] = sym.st_value;
		symbols[nr++] = symbol;
	}
	return nr;
}
