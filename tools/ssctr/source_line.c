// SPDX-License-Identifier: GPL-2.0-only
#include "source_line.h"

#include <stdlib.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

char *source_line(struct img_listing *listing, const char *path, unsigned int line)
{
	size_t size, nr = 0;
	const char *from = img_listing_line(listing, path, line, &size);
	char *text;

	for (; from && size && is_blank(*from); size--)
		from++;
	if (!from || !size)
		return NULL;
	text = malloc(size + 1);
	for (; text && size; size--, from++)
		if (is_blank(*from))
			text[nr++] = ' ';
		else if ((unsigned char)*from > ' ' && *from != 127)
			text[nr++] = *from;
	if (text)
		text[nr] = 0;
	return text;
}

void source_compare(struct img_listing *listing, struct path_code *code,
		    const struct path_place *place, const char *path)
{
	struct img_built built;

	if (img_listing_is_new(listing, path) && path_code_built(code, place, &built))
		img_listing_compare(listing, path, &built);
}

enum { MOST_FILES = 10 };

static void note_refused(const struct img_listing *listing, const char *advice,
			 struct notes *notes)
{
	const char *path;
	unsigned int nr = 0;
	size_t at = 0;

	while ((path = img_listing_next_refused(listing, &at)))
		if (nr++ < MOST_FILES)
			notes_say(notes, "source not shown",
				  "%s, because not all users may read it, and debug information can name any file%s",
				  path, advice);
	if (nr > MOST_FILES)
		notes_say(notes, "source not shown", "and %u more files", nr - MOST_FILES);
}

void source_note(const struct img_listing *listing, const char *advice, struct notes *notes)
{
	struct img_other_source other;
	unsigned int nr = 0;
	size_t at = 0;

	while (img_listing_next_other(listing, &at, &other))
		if (nr++ < MOST_FILES)
			notes_say(notes, "other source",
				  other.certain ?
					  "%s is not the file that %s was built from, so its lines may not be those that ran%s" :
					  "%s is newer than %s, so its lines may not be those that ran%s",
				  other.path, other.binary, advice);
	if (nr > MOST_FILES)
		notes_say(notes, "other source", "and %u more files", nr - MOST_FILES);
	note_refused(listing, advice, notes);
}
