// SPDX-License-Identifier: GPL-2.0-only
#include "base/plain.h"

size_t plain_control(const char *p)
{
	const unsigned char c = *p, next = p[1];

	if (c < ' ' || c == 127 || (c == 0xc2 && next < 0xa0))
		return 1 + (c == 0xc2 && next >= 0x80);
	return 0;
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

void plain_put(FILE *file, const char *text)
{
	while (*text)
		text += plain_char(file, text);
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
