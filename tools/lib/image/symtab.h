/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of names by their places: of functions by their addresses, or by their offsets
 * in a file or in memory.
 */
#ifndef IMAGE_SYMTAB_H
#define IMAGE_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct img_symbol {
	uint64_t start, end;
	const char *name; /* belongs to the caller */
	int rank; /* a lower rank is a better name */
	/* The index, plus 1, of the symbol in which this one lies and which goes on behind it. */
	uint32_t outer;
};

/* Set all members to 0 first. The caller frees v. */
struct img_symtab {
	/* after img_symtab_settle(): ordered by place, each place once */
	struct img_symbol *v;
	size_t nr, cap;
};

/* What a label's rank is above that of a function. */
enum { IMG_RANK_LABEL = 4 };

/* Returns the rank of a symbol's name among other names of the same place. */
int img_symbol_rank(const GElf_Sym *sym);

/*
 * Add a symbol. If its size is 0, as for a label, it reaches up to the next symbol.
 * Returns false if out of memory.
 */
bool img_symtab_add(struct img_symtab *table, uint64_t start, uint64_t size,
		    const char *name, int rank);

/*
 * Call this when all symbols are added. It keeps one name for each place. A symbol that
 * has no size and no symbol after it reaches to end.
 */
void img_symtab_settle(struct img_symtab *table, uint64_t end);

/*
 * The same for names that a program listed one after the other, as those of code that it
 * made: a lower rank is a later name, which hides what it lies over. What is still seen of
 * the others remains, in parts that are symbols of their own. The table may get further
 * names, all of ranks below 0. Returns false if out of memory. The table is then empty.
 */
bool img_symtab_settle_list(struct img_symtab *table);

/*
 * Returns the last symbol that begins at or before `at` and reaches so far. Functions of
 * assembly lie in others, as __divdi3 of libgcc does. Returns NULL if there is none.
 */
const struct img_symbol *img_symtab_find(const struct img_symtab *table,
					 uint64_t at);

/*
 * Like img_symtab_find(). In addition, store in *from and *to the range around `at` in which
 * no other symbol lies.
 */
const struct img_symbol *img_symtab_part(const struct img_symtab *table, uint64_t at,
					 uint64_t *from, uint64_t *to);

#endif
