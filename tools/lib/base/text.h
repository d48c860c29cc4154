/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write many millions of lines of text. Numbers are formatted by hand, because printf()
 * would take most of the time.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The text that is not printed yet. Many lines are printed together. */
struct text {
	FILE *file; /* NULL: standard output */
	size_t len;
	char buf[64 << 10];
};

/* Append. Blanks on the left fill up to width characters. 0 means no blanks. */
void text_str(struct text *text, const char *s);
void text_dec(struct text *text, uint64_t value, unsigned int width);
void text_hex(struct text *text, uint64_t value, unsigned int width);

/* Append all hexadecimal digits of an opcode of size bytes. Blanks fill up to width. */
void text_opcode(struct text *text, uint32_t opcode, unsigned int size,
		 unsigned int width);

/* Append at most 255 bytes in the format of printf(). */
void text_fmt(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Append size bytes between double quotes. Bytes that cannot be printed become \xNN. */
void text_quoted(struct text *text, const char *s, size_t size);

/* Append a text for JSON. UTF-8 does not change. Bytes that are not UTF-8 become U+FFFD. */
void text_json(struct text *text, const char *s, size_t size);

/*
 * Append a member of an object: its name without a change, and its value. All numbers in
 * JSON are written here. Numbers above 2^53 become strings of their decimal digits,
 * because most readers of JSON would round them.
 */
void text_json_str(struct text *text, const char *name, const char *value);
void text_json_dec(struct text *text, const char *name, uint64_t value);

/* Append name, and a share from 0 to 1 with six digits. null: share is negative. */
void text_json_share(struct text *text, const char *name, double share);

/* Append name, and a count as text_json_dec() does. null: count is negative. */
void text_json_known(struct text *text, const char *name, int64_t count);

/*
 * Returns the length of the UTF-8 sequence at s in bytes, or 0 if there is none. size
 * bytes are there.
 */
size_t text_utf8(const char *s, size_t size);

/* End the line. */
void text_line(struct text *text);

/* Print all text. Call this before anything else is printed, and at the end. */
void text_flush(struct text *text);

#endif
