// SPDX-License-Identifier: GPL-2.0-only
#include "base/array.h"

#include <stdlib.h>

enum { START = 16 };

static bool resize(void *v, size_t cap, size_t size)
{
	void *p;

	/* Whatever the elements are, the pointer to them is stored alike. */
	memcpy(&p, v, sizeof(p));
	p = reallocarray(p, cap, size);
	if (!p)
		return false;
	memcpy(v, &p, sizeof(p));
	return true;
}

bool array_grow(void *v, size_t *cap, size_t size)
{
	size_t new = *cap ? 2 * *cap : START;

	if (!resize(v, new, size))
		return false;
	*cap = new;
	return true;
}

bool array_extend(void *v, size_t number, size_t *cap, size_t size)
{
	size_t new = number < SIZE_MAX / 2 ? 2 * number + START : SIZE_MAX;
	char *p;

	if (!resize(v, new, size))
		return false;
	memcpy(&p, v, sizeof(p));
	memset(p + *cap * size, 0, (new - *cap) * size);
	*cap = new;
	return true;
}

int array_order(const void *a, const void *b)
{
	uint64_t its, other;

	memcpy(&its, a, sizeof(its));
	memcpy(&other, b, sizeof(other));
	return its < other ? -1 : its > other;
}
