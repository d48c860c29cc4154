/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for tables that are read at random. If such a table is large, it gets large
 * pages. Otherwise the processor would often search for the page of an element.
 */
#ifndef BASE_LARGE_H
#define BASE_LARGE_H

#include <stddef.h>

/*
 * As realloc(): returns memory of `size` bytes, which begins with the first `used` bytes of
 * old, and frees old. old may be NULL if used is 0. The caller frees the memory with free().
 * Returns NULL if out of memory. old is then unchanged.
 */
void *large_realloc(void *old, size_t used, size_t size);

#endif
