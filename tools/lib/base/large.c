// SPDX-License-Identifier: GPL-2.0-only
#include "base/large.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The size of a large page, where the system has them. */
enum { LARGE = 2 << 20 };

void *large_realloc(void *old, size_t used, size_t size)
{
	void *memory;

	if (size < LARGE)
		return realloc(old, size);
	memory = aligned_alloc(LARGE, (size + LARGE - 1) & ~(size_t)(LARGE - 1));
	if (!memory)
		return NULL;
	/* Without large pages it is only slower. */
	madvise(memory, size, MADV_HUGEPAGE);
	if (used)
		memcpy(memory, old, used);
	free(old);
	return memory;
}
