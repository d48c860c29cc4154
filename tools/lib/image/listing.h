/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of lines of source, of files that are found on this machine. */
#ifndef IMAGE_LISTING_H
#define IMAGE_LISTING_H

#include <stdbool.h>
#include <stddef.h>

struct img_listing;

/* NULL: out of memory. */
struct img_listing *img_listing_new(void);
void img_listing_free(struct img_listing *listing);

/*
 * A folder to look in for files that are not where their programs say: below it, with as
 * much of their path as is there. The folder's name is not copied. False: out of memory.
 */
bool img_listing_add(struct img_listing *listing, const char *folder);

/*
 * A line of the file of that path, from 1 on: *size bytes without its end, as long as the
 * listing. NULL: there is no such line, or no such file.
 */
const char *img_listing_line(struct img_listing *listing, const char *path,
			     unsigned int line, size_t *size);

#endif
