// SPDX-License-Identifier: GPL-2.0-only
#include "base/plain.h"

#include <string.h>

/* U+061C, U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069: they turn the text around them. */
static size_t direction(const unsigned char *p)
{
	if (p[0] == 0xd8 && p[1] == 0x9c)
		return 2;
	if (p[0] != 0xe2 || (p[1] != 0x80 && p[1] != 0x81))
		return 0;
	if (p[1] == 0x81)
		return p[2] >= 0xa6 && p[2] <= 0xa9 ? 3 : 0;
	return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xaa && p[2] <= 0xae) ? 3 : 0;
}

size_t plain_control(const char *p)
{
	const unsigned char c = *p, next = p[1];

	if (c < ' ' || c == 127 || (c == 0xc2 && next < 0xa0))
		return 1 + (c == 0xc2 && next >= 0x80);
	return direction((const unsigned char *)p);
}

size_t plain_char(FILE *file, const char *p)
{
	size_t n = plain_control(p);

	if (n) {
		putc('?', file);
		return n;
	}
	for (n = 1; (p[n] & 0xc0) == 0x80;)
		n++;
	fwrite(p, 1, n, file);
	return n;
}

size_t plain_size(const char *text)
{
	size_t size = strnlen(text, PLAIN_MOST + 1);

	if (size <= PLAIN_MOST)
		return size;
	/* Not within a character. */
	for (size--; size && (text[size] & 0xc0) == 0x80;)
		size--;
	return size;
}

void plain_put(FILE *file, const char *text)
{
	const char *end = text + plain_size(text);

	while (text < end)
		text += plain_char(file, text);
	fputs(*end ? "..." : "", file);
}

void plain_line(FILE *file, const char *text)
{
	plain_put(file, text);
	putc('\n', file);
}

void plain_text(struct text *text, const char *s)
{
	char part[128];
	size_t n = 0, control;

	for (; *s; s += control ? control : 1) {
		control = plain_control(s);
		part[n++] = control ? '?' : *s;
		if (n < sizeof(part) - 1 && s[control ? control : 1])
			continue;
		part[n] = 0;
		text_str(text, part);
		n = 0;
	}
}
