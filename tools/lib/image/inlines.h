/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that were inlined, by libdw. */
#ifndef IMAGE_INLINES_H
#define IMAGE_INLINES_H

#include "image/image.h"

#include <elfutils/libdw.h>

struct img_inlines;

/* NULL: out of memory. */
struct img_inlines *img_new_inlines(void);

/* NULL is allowed. */
void img_free_inlines(struct img_inlines *inlines);

/*
 * What an address of a unit is of, as img_frames() gives it; v[0] has the line already.
 * Returns how many, 1 at least.
 */
size_t img_find_inlines(struct img_inlines *inlines, Dwarf_Die *unit, uint64_t addr,
			struct img_frame *v, size_t max);

#endif
