/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is named by a place: functions by their addresses, or by their offsets in a
 * file or memory.
 */
#ifndef IMAGE_SYMTAB_H
#define IMAGE_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct img_symbol {
	uint64_t start, end;
	const char *name; /* the caller's */
	int rank; /* the lower, the better the name */
};

/* All 0 before the first; the caller frees v. */
struct img_symtab {
	struct img_symbol *v; /* by place, none twice, once it is settled */
	size_t nr, cap;
};

/* How good a symbol's name is beside others of the same place. */
int img_symbol_rank(const GElf_Sym *sym);

/* A size of 0, as of a label: up to the next. False: out of memory. */
bool img_symtab_add(struct img_symtab *table, uint64_t start, uint64_t size,
		    const char *name, int rank);

/*
 * To be called when all were added: one name for each place. What has no size and
 * none behind it reaches to end.
 */
void img_symtab_settle(struct img_symtab *table, uint64_t end);

/* The last that begins no later than at, if it reaches so far; NULL: none does. */
const struct img_symbol *img_symtab_find(const struct img_symtab *table,
					 uint64_t at);

#endif
