/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of source lines, from files that are found on this machine. */
#ifndef IMAGE_LISTING_H
#define IMAGE_LISTING_H

#include <stdbool.h>
#include <stddef.h>

struct img_listing;

/* Returns NULL if out of memory. */
struct img_listing *img_listing_new(void);
void img_listing_free(struct img_listing *listing);

/*
 * Add a folder to search for source files that are not at their path. A file is searched
 * below this folder, with as much of its path as exists there. The name of the folder is
 * not copied. Returns false if out of memory.
 */
bool img_listing_add(struct img_listing *listing, const char *folder);

/*
 * Returns a line of a file, without its line end. The first line is 1. The line has *size
 * bytes, and is valid as long as listing. Returns NULL if there is no such line or file.
 */
const char *img_listing_line(struct img_listing *listing, const char *path,
			     unsigned int line, size_t *size);

#endif
