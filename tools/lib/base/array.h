/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow: a pointer to the first element, and for how many there is room. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Room for one more than nr elements of size bytes each. v is the address of the
 * array's pointer, NULL as long as *cap is 0; the caller frees the array. False: out
 * of memory, and the array is as it was.
 */
bool array_room(void *v, size_t nr, size_t *cap, size_t size);

/*
 * An array by numbers, all zero where nothing was put yet: room for the element of
 * that number. Else as array_room().
 */
bool array_cover(void *v, size_t number, size_t *cap, size_t size);

#endif
