/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of source lines, from files that are found on this machine. */
#ifndef IMAGE_LISTING_H
#define IMAGE_LISTING_H

#include "image/image.h"

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

/*
 * A file that no folder of img_listing_add() has is read only if all users may read it, or if it
 * belongs to the user that runs ssctr and is not root. Returns whether there is one that is not.
 */
bool img_listing_refuses(struct img_listing *listing, const char *path);

/* Returns the path of the next such file. *at is 0 for the first call. NULL: no more. */
const char *img_listing_next_refused(const struct img_listing *listing, size_t *at);

/*
 * Is there a file at this path that was not compared yet with what code was built from? Then
 * img_listing_compare() does it: by its MD5 if that is known, or else by whether it is newer
 * than the file with the debug information.
 */
bool img_listing_is_new(struct img_listing *listing, const char *path);
void img_listing_compare(struct img_listing *listing, const char *path,
			 const struct img_built *built);

/* A source file that is not as it was built. The texts are valid as long as listing. */
struct img_other_source {
	const char *path; /* where it was found */
	const char *binary; /* what was built */
	bool certain; /* its MD5 differs */
};

/* Returns the next one. *at is 0 for the first call. Returns false if there are no more. */
bool img_listing_next_other(const struct img_listing *listing, size_t *at,
			    struct img_other_source *other);

#endif
