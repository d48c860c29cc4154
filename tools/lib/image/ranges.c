// SPDX-License-Identifier: GPL-2.0-only
#include "image/ranges.h"

struct img_ranges img_ranges_of(Dwarf *dwarf)
{
	size_t size = 0;

	elf_rawfile(dwarf_getelf(dwarf), &size);
	return (struct img_ranges){ .left = size };
}

bool img_next_range(struct img_ranges *ranges, Dwarf_Die *die, ptrdiff_t *at, Dwarf_Addr *start,
		    Dwarf_Addr *end)
{
	if (ranges->too_many)
		return false;
	*at = dwarf_ranges(die, *at, &ranges->base, start, end);
	if (*at <= 0)
		return false;
	ranges->too_many = !ranges->left;
	ranges->left -= !ranges->too_many;
	return !ranges->too_many;
}
