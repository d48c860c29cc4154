/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The places to which a list gives several names, one after the other. A program that uses
 * memory again for other code writes such lists.
 */
#ifndef IMAGE_SEVERAL_H
#define IMAGE_SEVERAL_H

#include "image/symtab.h"

struct img_range {
	uint64_t start, end;
};

/* Set all members to 0 first. The caller frees v. */
struct img_several {
	struct img_range *v; /* in order, none next to another one */
	size_t nr;
	/* the addresses where a name begins and another one is, too */
	uint64_t starts;
};

/*
 * Find these places among the symbols of a list, which img_symtab_settle_list() has not seen.
 * No symbol has the size 0. Returns false if out of memory. Nothing is found then.
 */
bool img_several_find(struct img_several *several, const struct img_symtab *list);

bool img_several_has(const struct img_several *several, uint64_t at);

#endif
