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
