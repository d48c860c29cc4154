/* SPDX-License-Identifier: GPL-2.0-only */
/* How many different pages a program touches: its footprint. */
#ifndef SSCTR_PAGES_H
#define SSCTR_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGE_SHIFT = 12 };

/* A hash table of page numbers, all 0 before the first. */
struct pages {
	uint64_t *v; /* page number + 1; 0: free */
	size_t nr;
	size_t room; /* a power of two */
	uint64_t last; /* the same of the page touched last */
	bool full; /* there were more than it takes */
};

/* For pages_touch(). */
bool pages_add(struct pages *pages, uint64_t page);

/*
 * The size bytes at address, all of them on one or two pages. False if there is
 * no memory.
 */
static inline bool pages_touch(struct pages *pages, uint64_t address,
			       unsigned int size)
{
	uint64_t first = address >> PAGE_SHIFT;
	uint64_t end = (address + (size ? size - 1 : 0)) >> PAGE_SHIFT;

	if (first == end && pages->last == first + 1)
		return true;
	return pages_add(pages, first) &&
	       (first == end || pages_add(pages, end));
}

void pages_free(struct pages *pages);

#endif
