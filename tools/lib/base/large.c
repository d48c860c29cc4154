// SPDX-License-Identifier: GPL-2.0-only
#include "base/large.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The size of a large page, where the system has them. */
enum { LARGE = 2 << 20 };

/* From this size on, memory has pages of its own. */
static bool has_pages(size_t size)
{
	return size >= LARGE;
}

static size_t whole_pages(size_t size)
{
	return (size + LARGE - 1) & ~(size_t)(LARGE - 1);
}

/* Addresses of size bytes, from where a large page begins. NULL: out of memory. */
static void *reserve(size_t size)
{
	char *all, *start;

	all = mmap(NULL, size + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return NULL;
	start = all + (whole_pages((uintptr_t)all) - (uintptr_t)all);
	if (start > all)
		munmap(all, start - all);
	munmap(start + size, all + LARGE - start);
	/* Without large pages it is only slower. */
	madvise(start, size, MADV_HUGEPAGE);
	return start;
}

void *large_new(size_t size)
{
	return has_pages(size) ? reserve(whole_pages(size)) : calloc(1, size);
}

void *large_grow(void *old, size_t old_size, size_t size)
{
	const size_t pages = whole_pages(size), old_pages = whole_pages(old_size);
	void *memory;

	if (!has_pages(size))
		return realloc(old, size);
	if (has_pages(old_size) && pages == old_pages)
		return old;
	memory = reserve(pages);
	if (!memory)
		return NULL;
	if (!has_pages(old_size)) {
		if (old_size)
			memcpy(memory, old, old_size);
		free(old);
		return memory;
	}
	/* The old pages take the place of the first new ones, none of which was used yet. */
	if (mremap(old, old_pages, old_pages, MREMAP_MAYMOVE | MREMAP_FIXED, memory) != memory) {
		munmap(memory, pages);
		return NULL;
	}
	return memory;
}

void large_free(void *memory, size_t size)
{
	if (has_pages(size))
		munmap(memory, whole_pages(size));
	else
		free(memory);
}
