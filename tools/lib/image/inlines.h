/* SPDX-License-Identifier: GPL-2.0-only */
/* Find inlined functions, with libdw. */
#ifndef IMAGE_INLINES_H
#define IMAGE_INLINES_H

#include "image/image.h"
#include "image/split.h"

#include <elfutils/libdw.h>

struct img_inlines;

/* dwarf: where the units are. Returns NULL if out of memory. */
struct img_inlines *img_new_inlines(Dwarf *dwarf);

/* inlines may be NULL. */
void img_free_inlines(struct img_inlines *inlines);

/* Returns what is missing in the units that were asked for. It is valid as long as inlines. */
const struct img_split *img_inlines_split(const struct img_inlines *inlines);

/* Returns whether there are more ranges than may be read. What was inlined is then incomplete. */
bool img_inlines_too_many(const struct img_inlines *inlines);

/* Returns whether a function of the unit has this address. */
bool img_in_function(struct img_inlines *inlines, Dwarf_Die *unit, uint64_t addr);

/*
 * Store the functions at an address of a unit in v, as img_frames() does. The caller has
 * already stored the line in v[0]. Returns the number of functions, at least 1.
 */
size_t img_find_inlines(struct img_inlines *inlines, Dwarf_Die *unit, uint64_t addr,
			struct img_frame *v, size_t max);

#endif
