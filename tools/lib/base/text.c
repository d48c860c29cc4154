// SPDX-License-Identifier: GPL-2.0-only
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

static void print(const struct text *text, const char *s, size_t n)
{
	fwrite(s, 1, n, text->file ? text->file : stdout);
}

void text_flush(struct text *text)
{
	print(text, text->buf, text->len);
	text->len = 0;
}

/* Where n bytes, not more than the buffer has, can be written. */
static inline char *room(struct text *text, size_t n)
{
	if (n > sizeof(text->buf) - text->len)
		text_flush(text);
	return text->buf + text->len;
}

static void append(struct text *text, const char *s, size_t n)
{
	if (n > sizeof(text->buf)) {
		text_flush(text);
		print(text, s, n);
		return;
	}
	memcpy(room(text, n), s, n);
	text->len += n;
}

void text_str(struct text *text, const char *s)
{
	append(text, s, strlen(s));
}

void text_fmt(struct text *text, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	text_str(text, buf);
}

/* No number has more digits, and no column is wider. */
enum { WIDEST = 40 };

/* The n digits that end at `end`, after blanks up to width. */
static void put(struct text *text, const char *end, unsigned int n,
		unsigned int width)
{
	unsigned int blanks = n < width ? width - n : 0;
	char *p = room(text, 2 * WIDEST);

	if (blanks > WIDEST)
		blanks = WIDEST;
	memset(p, ' ', WIDEST);
	memcpy(p + blanks, end - n, WIDEST / 2);
	text->len += blanks + n;
}

/* Behind the digits are as many bytes as put() copies too much. */
static void hex(struct text *text, uint64_t value, unsigned int least,
		unsigned int width)
{
	char buf[WIDEST + WIDEST / 2] = { 0 };
	char *end = buf + WIDEST, *p = end;

	while (value || (unsigned int)(end - p) < least) {
		*--p = digits[value & 15];
		value >>= 4;
	}
	put(text, end, (unsigned int)(end - p), width);
}

void text_dec(struct text *text, uint64_t value, unsigned int width)
{
	char buf[WIDEST + WIDEST / 2] = { 0 };
	char *end = buf + WIDEST, *p = end;

	do {
		*--p = digits[value % 10];
		value /= 10;
	} while (value);
	put(text, end, (unsigned int)(end - p), width);
}

void text_hex(struct text *text, uint64_t value, unsigned int width)
{
	hex(text, value, 1, width);
}

void text_opcode(struct text *text, uint32_t opcode, unsigned int size,
		 unsigned int width)
{
	hex(text, opcode, size * 2, width);
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

size_t text_utf8(const char *string, size_t size)
{
	const unsigned char *s = (const unsigned char *)string;
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 :
		   *s >> 3 == 30 ? 4 : 0;
	uint32_t code;
	size_t i;

	if (n < 2)
		return n;
	if (n > size)
		return 0;
	code = *s & (0x7fu >> n);
	for (i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < smallest[n] || code > 0x10ffff || code >> 11 == 0x1b)
		return 0;
	return n;
}

/* How many bytes at the start JSON has as they are. */
static size_t plain(const char *s, size_t size)
{
	static const bool other[256] = {
		[0 ... ' ' - 1] = true, ['"'] = true, ['\\'] = true, [0x80 ... 0xff] = true,
	};
	size_t i;

	for (i = 0; i < size && !other[(unsigned char)s[i]]; i++)
		;
	return i;
}

void text_json(struct text *text, const char *s, size_t size)
{
	append(text, "\"", 1);
	for (;;) {
		size_t n = plain(s, size);
		unsigned char c;
		char escape[6] = { '\\', 'u', '0', '0' };

		append(text, s, n);
		s += n;
		size -= n;
		if (!size)
			break;
		c = (unsigned char)*s;
		n = text_utf8(s, size);
		escape[4] = digits[c >> 4];
		escape[5] = digits[c & 15];
		if (c == '"' || c == '\\')
			append(text, "\\", 1);
		if (!n)
			append(text, "\\ufffd", 6);
		else if (c < ' ')
			append(text, escape, sizeof(escape));
		else
			append(text, s, n);
		s += n ?: 1;
		size -= n ?: 1;
	}
	append(text, "\"", 1);
}

void text_json_str(struct text *text, const char *name, const char *value)
{
	text_str(text, name);
	text_json(text, value, strlen(value));
}

void text_json_dec(struct text *text, const char *name, uint64_t value)
{
	const bool quoted = value > UINT64_C(1) << 53;

	text_str(text, name);
	if (quoted)
		append(text, "\"", 1);
	text_dec(text, value, 0);
	if (quoted)
		append(text, "\"", 1);
}

void text_json_share(struct text *text, const char *name, double share)
{
	text_str(text, name);
	if (share < 0)
		text_str(text, "null");
	else
		text_fmt(text, "%.6f", share);
}

void text_json_known(struct text *text, const char *name, int64_t count)
{
	if (count >= 0) {
		text_json_dec(text, name, (uint64_t)count);
		return;
	}
	text_str(text, name);
	text_str(text, "null");
}

void text_line(struct text *text)
{
	append(text, "\n", 1);
}
