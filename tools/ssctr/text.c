// SPDX-License-Identifier: GPL-2.0-only
#include "text.h"

#include <stdio.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

static void flush(struct text *text)
{
	fwrite(text->buf, 1, text->len, stdout);
	text->len = 0;
}

static void append(struct text *text, const char *s, size_t n)
{
	if (n > sizeof(text->buf) - text->len)
		flush(text);
	if (n > sizeof(text->buf)) {
		fwrite(s, 1, n, stdout);
		return;
	}
	memcpy(text->buf + text->len, s, n);
	text->len += n;
}

void text_str(struct text *text, const char *s)
{
	append(text, s, strlen(s));
}

/* least: digits that are written even if they are 0. */
static void number(struct text *text, uint64_t value, unsigned int base,
		   unsigned int least, unsigned int width)
{
	char buf[40];
	char *end = buf + sizeof(buf), *p = end;

	while (value || (unsigned int)(end - p) < least) {
		*--p = digits[value % base];
		value /= base;
	}
	while ((unsigned int)(end - p) < width && p > buf)
		*--p = ' ';
	append(text, p, (size_t)(end - p));
}

void text_dec(struct text *text, uint64_t value, unsigned int width)
{
	number(text, value, 10, 1, width);
}

void text_hex(struct text *text, uint64_t value, unsigned int width)
{
	number(text, value, 16, 1, width);
}

void text_opcode(struct text *text, uint32_t opcode, unsigned int size,
		 unsigned int width)
{
	number(text, opcode, 16, size * 2, width);
}

void text_quoted(struct text *text, const char *s, size_t size)
{
	size_t i;

	append(text, "\"", 1);
	for (i = 0; i < size; i++) {
		unsigned char c = (unsigned char)s[i];
		char hex[4] = { '\\', 'x', digits[c >> 4], digits[c & 15] };

		if (c == '"' || c == '\\')
			append(text, "\\", 1);
		if (c < ' ' || c > '~')
			append(text, hex, sizeof(hex));
		else
			append(text, s + i, 1);
	}
	append(text, "\"", 1);
}

void text_line(struct text *text)
{
	append(text, "\n", 1);
	flush(text);
}
