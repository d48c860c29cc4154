/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes for the user about the result: a number and what it counts, or a kind and a text. */
#ifndef BASE_NOTES_H
#define BASE_NOTES_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct note {
	const char *kind; /* "not used", ...; NULL: the text has the number before it */
	uint64_t number;
	char *text;
};

/* Set all members to 0 first. */
struct notes {
	struct note *v;
	size_t nr, cap;
};

/* Add a note. If there is not enough memory, the note is left out. */
void notes_add(struct notes *notes, uint64_t number, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a note, unless the number is 0. */
#define notes_count(_notes, _number, ...)                                      \
	((_number) ? notes_add(_notes, _number, __VA_ARGS__) : (void)0)

/* Add a note without a number: "KIND: TEXT". The kind is not copied. */
void notes_say(struct notes *notes, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Write one line for each note. */
void notes_write(const struct notes *notes, FILE *file);

/* Append a member of a JSON object, behind a comma: "notes", a list. docs/report.md has its keys. */
void notes_json(const struct notes *notes, struct text *text);

void notes_free(struct notes *notes);

#endif
