/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for tables that are read at random. If such a table is large, it gets large
 * pages. Otherwise the processor would often search for the page of an element. A large
 * table grows without a copy: its pages move to other addresses.
 */
#ifndef BASE_LARGE_H
#define BASE_LARGE_H

#include <stddef.h>

/* Returns size bytes, all of them 0, or NULL if out of memory. */
void *large_new(size_t size);

/*
 * Returns memory of `size` bytes, which begins with the old_size bytes of old, and frees old.
 * size is not less than old_size. old may be NULL if old_size is 0. Returns NULL if out of
 * memory. old is then unchanged.
 */
void *large_grow(void *old, size_t old_size, size_t size);

/* Free memory of this size. memory may be NULL if size is 0. */
void large_free(void *memory, size_t size);

#endif
