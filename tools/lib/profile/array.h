/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow element by element. */
#ifndef PROFILE_ARRAY_H
#define PROFILE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Returns v with room for one more than nr elements of size bytes. *cap is the number of
 * elements that it has room for. Returns NULL if out of memory, and v is then unchanged.
 */
static inline void *prof_grow(void *v, size_t nr, size_t *cap, size_t size)
{
	size_t new = *cap ? 2 * *cap : 256;
	void *p;

	if (nr < *cap)
		return v;
	p = realloc(v, new * size);
	if (p)
		*cap = new;
	return p;
}

#endif
