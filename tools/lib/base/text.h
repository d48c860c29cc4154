/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of text, many millions of them: numbers are written out by hand, since
 * printf() would take most of the time.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What is not printed yet. Many lines are printed at once. */
struct text {
	FILE *file; /* NULL: standard output */
	size_t len;
	char buf[64 << 10];
};

/* Append; width pads on the left with blanks, 0 for none. */
void text_str(struct text *text, const char *s);
void text_dec(struct text *text, uint64_t value, unsigned int width);
void text_hex(struct text *text, uint64_t value, unsigned int width);

/* All hexadecimal digits of an opcode of size bytes, padded to width. */
void text_opcode(struct text *text, uint32_t opcode, unsigned int size,
		 unsigned int width);

/* At most 255 bytes, as printf() has them. */
void text_fmt(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Any bytes between double quotes, those that do not print as \xNN. */
void text_quoted(struct text *text, const char *s, size_t size);

/* The same for JSON: UTF-8 is left as it is, what is none becomes U+FFFD. */
void text_json(struct text *text, const char *s, size_t size);

/*
 * A member of an object: its name as it is written, and the value. All numbers of JSON
 * are written here: those above 2^53 are strings of their decimal digits, since most
 * readers of JSON would round them.
 */
void text_json_str(struct text *text, const char *name, const char *value);
void text_json_dec(struct text *text, const char *name, uint64_t value);

/* The length of the UTF-8 sequence at s, of size bytes; 0 if it is none. */
size_t text_utf8(const char *s, size_t size);

/* End the line. */
void text_line(struct text *text);

/* Print all. To be called before anything else is printed, and at the end. */
void text_flush(struct text *text);

#endif
