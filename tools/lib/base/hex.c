// SPDX-License-Identifier: GPL-2.0-only
#include "base/hex.h"

const char *hex_text(char *text, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < size; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * size] = 0;
	return text;
}
