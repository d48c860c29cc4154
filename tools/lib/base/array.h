/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow: a pointer to the first element, and for how many there is room;
 * and those that are sorted by a number.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The two below, where there is no room yet. */
bool array_grow(void *v, size_t *cap, size_t size);
bool array_extend(void *v, size_t number, size_t *cap, size_t size);

/*
 * Room for one more than nr elements of size bytes each. v is the address of the
 * array's pointer, NULL as long as *cap is 0; the caller frees the array. False: out
 * of memory, and the array is as it was.
 */
static inline bool array_room(void *v, size_t nr, size_t *cap, size_t size)
{
	return nr < *cap || array_grow(v, cap, size);
}

/*
 * An array by numbers, all zero where nothing was put yet: room for the element of
 * that number. Else as array_room().
 */
static inline bool array_cover(void *v, size_t number, size_t *cap, size_t size)
{
	return number < *cap || array_extend(v, number, cap, size);
}

/* For qsort(): by the uint64_t that each element begins with. */
int array_order(const void *a, const void *b);

/*
 * Of nr elements in that order: how many have a number that is not above this one.
 * What covers an address is the last of those that begin no later.
 */
static inline size_t array_upto(const void *v, size_t nr, size_t size,
				uint64_t number)
{
	size_t low = 0, high = nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t its;

		memcpy(&its, (const char *)v + middle * size, sizeof(its));
		if (its <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
