/* SPDX-License-Identifier: GPL-2.0-only */
/* Which files have no symbols, so that the report names few of their functions. */
#ifndef HOT_NAMELESS_H
#define HOT_NAMELESS_H

#include "hot/hot.h"

struct notes;

/*
 * Add a note for each file without symbols in whose functions without names at least 5 % of
 * the transfers began. Call hot_find() before.
 */
void hot_note_nameless(const struct hot *hot, struct notes *notes);

#endif
