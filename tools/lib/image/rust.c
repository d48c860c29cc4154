// SPDX-License-Identifier: GPL-2.0-only
#include "image/rust.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define HEX DIGITS "abcdef"

enum { HASH = 16 }; /* digits, behind an h */

/* A part of a path; NULL: there are no more. *at becomes what is behind it. */
static const char *next_part(const char **at, size_t *size)
{
	const char *part = *at + strspn(*at, DIGITS);
	/* More digits would be a longer symbol than there is. */
	const bool some = part > *at && part - *at < 7;

	*size = some ? strtoul(*at, NULL, 10) : 0;
	if (!*size || strnlen(part, *size) < *size)
		return NULL;
	*at = part + *size;
	return part;
}

static bool is_hash(const char *part, size_t size)
{
	return size == 1 + HASH && part[0] == 'h' && strspn(part + 1, HEX) >= HASH;
}

bool img_rust_is_v0(const char *symbol)
{
	return !strncmp(symbol, "_R", 2);
}

size_t img_rust_size(const char *symbol)
{
	const char *at = symbol + 3, *part;
	bool hash = false;
	size_t size, nr = 0;

	if (img_rust_is_v0(symbol))
		return strcspn(symbol, ".@");
	if (strncmp(symbol, "_ZN", 3))
		return 0;
	while ((part = next_part(&at, &size))) {
		hash = is_hash(part, size);
		nr++;
	}
	/* In C++, a function has its parameters behind the E. */
	return nr > 1 && hash && at[0] == 'E' && (!at[1] || strchr(".@", at[1])) ?
		       at + 1 - symbol :
		       0;
}

/* UTF-8. Returns NULL if it is no character, or one that controls a terminal. */
static char *put_character(char *out, uint32_t c)
{
	const bool none = c > 0x10ffff || (c >= 0xd800 && c < 0xe000);

	if (none || c < 0x20 || (c >= 0x7f && c < 0xa0))
		return NULL;
	if (c < 0x80) {
		*out++ = c;
		return out;
	}
	*out++ = c < 0x800 ? 0xc0 | c >> 6 : c < 0x10000 ? 0xe0 | c >> 12 : 0xf0 | c >> 18;
	if (c >= 0x10000)
		*out++ = 0x80 | (c >> 12 & 0x3f);
	if (c >= 0x800)
		*out++ = 0x80 | (c >> 6 & 0x3f);
	*out++ = 0x80 | (c & 0x3f);
	return out;
}

/* What stands between two $. Returns NULL if it means nothing. */
static char *put_escape(char *out, const char *name, size_t size)
{
	static const struct {
		char name[3], character;
	} v[] = {
		{ "SP", '@' }, { "BP", '*' }, { "RF", '&' }, { "LT", '<' },
		{ "GT", '>' }, { "LP", '(' }, { "RP", ')' }, { "C", ',' },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(*v); i++)
		if (strlen(v[i].name) == size && !memcmp(name, v[i].name, size))
			return put_character(out, v[i].character);
	if (size < 2 || size > 7 || name[0] != 'u' || strspn(name + 1, HEX) != size - 1)
		return NULL;
	return put_character(out, strtoul(name + 1, NULL, 16));
}

/* A part as it was before its characters were made those of a symbol. Returns the end. */
static char *put_part(char *out, const char *part, size_t size)
{
	const char *end = part + size, *dollar;
	char *done;

	/* A symbol may not begin with a $. */
	part += size > 1 && part[0] == '_' && part[1] == '$';
	while (part < end) {
		if (part[0] == '$') {
			dollar = memchr(part + 1, '$', end - part - 1);
			done = dollar ? put_escape(out, part + 1, dollar - part - 1) : NULL;
			/* What is not known stays, up to the end of the part. */
			if (!done)
				return mempcpy(out, part, end - part);
			out = done;
			part = dollar + 1;
		} else if (end - part > 1 && part[0] == '.' && part[1] == '.') {
			out = mempcpy(out, "::", 2);
			part += 2;
		} else {
			*out++ = *part++;
		}
	}
	return out;
}

char *img_rust_legacy(const char *symbol)
{
	/* A length of one digit becomes two colons. Nothing else becomes longer. */
	char *text = malloc(2 * strlen(symbol)), *out = text;
	const char *at = symbol + 3, *part;
	size_t size;

	while (text && (part = next_part(&at, &size)) && *at != 'E') {
		if (out > text)
			out = mempcpy(out, "::", 2);
		out = put_part(out, part, size);
	}
	if (text)
		*out = 0;
	return text;
}
