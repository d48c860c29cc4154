/* SPDX-License-Identifier: GPL-2.0-only */
/* The addresses of units and functions in debug information. */
#ifndef IMAGE_RANGES_H
#define IMAGE_RANGES_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * How many ranges of addresses are still read. A range takes at least a byte of the file: of
 * itself, of the code, or of its function. There are more only in a damaged file, in which many
 * units or functions share one list of them, which would be read, and kept, for each.
 */
struct img_ranges {
	size_t left;
	bool too_many; /* there was one more: no further one is read */
	Dwarf_Addr base; /* of the list that is being read */
};

/* Returns as many ranges as the file of dwarf has bytes. */
struct img_ranges img_ranges_of(Dwarf *dwarf);

/*
 * Store the next range of a unit or a function, from *start to before *end. *at is 0 for the
 * first; the others follow before those of another unit or function are read. Returns false if
 * there is no other one, if the data is damaged, or if there are too many.
 */
bool img_next_range(struct img_ranges *ranges, Dwarf_Die *die, ptrdiff_t *at, Dwarf_Addr *start,
		    Dwarf_Addr *end);

#endif
