/* SPDX-License-Identifier: GPL-2.0-only */
/* Build ids and labels as people read them. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

/*
 * Write bytes as hexadecimal digits, two for each, and a NUL. text has room for 2 * size + 1
 * characters. Returns text.
 */
const char *hex_text(char *text, const uint8_t *bytes, size_t size);

#endif
