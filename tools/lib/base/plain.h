/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for people, of which a part is from a file that anybody may have made. A control
 * character in it would end the line, or be a command to the terminal: it becomes a ?.
 */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include "base/text.h"

#include <stdio.h>

/*
 * Returns how many bytes the control character at p has, which a terminal takes as a command
 * or a part of one. 0: it is none.
 */
size_t plain_control(const char *p);

/* Print the character at p, of one byte or several. Returns how many bytes it has. */
size_t plain_char(FILE *file, const char *p);

void plain_put(FILE *file, const char *text);

/* Print it, and end the line. */
void plain_line(FILE *file, const char *text);

/* Append it to a text. */
void plain_text(struct text *text, const char *s);

#endif
