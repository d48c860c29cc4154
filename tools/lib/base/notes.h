/* SPDX-License-Identifier: GPL-2.0-only */
/* What became of what was worked on, for people: numbers, and what they are of. */
#ifndef BASE_NOTES_H
#define BASE_NOTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct note {
	uint64_t number;
	char *text;
};

/* All 0 before the first. */
struct notes {
	struct note *v;
	size_t nr, cap;
};

/* One more; where there is no memory it is left out. */
void notes_add(struct notes *notes, uint64_t number, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, but nothing where the number is 0. */
#define notes_count(_notes, _number, ...)                                      \
	((_number) ? notes_add(_notes, _number, __VA_ARGS__) : (void)0)

/* A line each. */
void notes_write(const struct notes *notes, FILE *file);

void notes_free(struct notes *notes);

#endif
