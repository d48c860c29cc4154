/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that grow. An array is a pointer to the first element, and the number of
 * elements that it has room for. Arrays can also be sorted by a number.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The slow path of array_room() and of array_cover(), if there is no room yet. */
bool array_grow(void *v, size_t *cap, size_t size);
bool array_extend(void *v, size_t number, size_t *cap, size_t size);

/*
 * Make room for one more than nr elements of size bytes each. v is the address of the
 * array's pointer, which is NULL as long as *cap is 0. The caller frees the array.
 * Returns false if out of memory. The array is then unchanged.
 */
static inline bool array_room(void *v, size_t nr, size_t *cap, size_t size)
{
	return nr < *cap || array_grow(v, cap, size);
}

/*
 * Make room for the element with this number in an array that is indexed by numbers. New
 * elements are all zero. Otherwise like array_room().
 */
static inline bool array_cover(void *v, size_t number, size_t *cap, size_t size)
{
	return number < *cap || array_extend(v, number, cap, size);
}

/* A comparison for qsort(). It compares the uint64_t at the start of each element. */
int array_order(const void *a, const void *b);

/*
 * Returns how many of nr sorted elements have a number that is not above `number`. The
 * last of these is the one that contains an address.
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
