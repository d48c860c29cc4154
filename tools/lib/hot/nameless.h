/* SPDX-License-Identifier: GPL-2.0-only */
/* Why the report names few functions: files without symbols, and mappings that are missing. */
#ifndef HOT_NAMELESS_H
#define HOT_NAMELESS_H

#include "hot/hot.h"

struct notes;

/*
 * Add a note for each file without symbols in whose functions without names at least 5 % of
 * the transfers began. Add one for code of which it is not known what is mapped there, if it
 * has that many, and one for the vdso, if its file is not known. Call hot_find() before.
 */
void hot_note_nameless(const struct hot *hot, struct notes *notes);

#endif
