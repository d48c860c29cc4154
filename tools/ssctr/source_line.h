/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of a source file, as it is printed beside code. */
#ifndef SSCTR_SOURCE_LINE_H
#define SSCTR_SOURCE_LINE_H

#include "image/listing.h"

/*
 * Returns a line without the blanks at its start, and without what a terminal would take
 * for a command. The caller frees it. Returns NULL if there is no such line, if nothing
 * stands in it, or if out of memory.
 */
char *source_line(struct img_listing *listing, const char *path, unsigned int line);

#endif
