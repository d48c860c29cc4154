// SPDX-License-Identifier: GPL-2.0-only
#include "base/plain.h"

size_t plain_char(FILE *file, const char *p)
{
	const unsigned char c = *p, next = p[1];
	size_t n = 1;

	/* Terminals take control characters of either size as commands. */
	if (c < ' ' || c == 127 || (c == 0xc2 && next < 0xa0)) {
		putc('?', file);
		return 1 + (c == 0xc2 && next >= 0x80);
	}
	while ((p[n] & 0xc0) == 0x80)
		n++;
	fwrite(p, 1, n, file);
	return n;
}

void plain_put(FILE *file, const char *text)
{
	while (*text)
		text += plain_char(file, text);
}
