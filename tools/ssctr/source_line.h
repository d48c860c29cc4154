/* SPDX-License-Identifier: GPL-2.0-only */
/* A line of a source file, as it is printed beside code. */
#ifndef SSCTR_SOURCE_LINE_H
#define SSCTR_SOURCE_LINE_H

#include "base/notes.h"
#include "image/listing.h"
#include "path/code.h"

/*
 * Returns a line without the blanks at its start, and without what a terminal would take
 * for a command. The caller frees it. Returns NULL if there is no such line, if nothing
 * stands in it, or if out of memory.
 */
char *source_line(struct img_listing *listing, const char *path, unsigned int line);

/*
 * Compare the source file of the line at a place with what was built, unless that was done.
 * source_note() then adds a note for each file that differs, with what to do about it behind it. Of
 * many, it adds the first ones, and how many more there are.
 */
void source_compare(struct img_listing *listing, struct path_code *code,
		    const struct path_place *place, const char *path);
void source_note(const struct img_listing *listing, const char *advice, struct notes *notes);

#define SOURCE_ADVICE \
	"; name a folder that has the right file with --source"

#endif
