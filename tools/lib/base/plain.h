/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for people, of which a part is from a file that anybody may have made. A control
 * character in it would end the line, be a command to the terminal, or turn around what
 * follows, as those of right-to-left text do: it becomes a ?.
 */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include "base/text.h"

#include <stdio.h>

/*
 * Returns how many bytes the control character at p has, which a terminal takes as a command
 * or a part of one, or as the direction of the text. 0: it is none.
 */
size_t plain_control(const char *p);

/* Print the character at p, of one byte or several. Returns how many bytes it has. */
size_t plain_char(FILE *file, const char *p);

/* No name that people read is longer. One of a damaged file may have millions of letters. */
enum { PLAIN_MOST = 16 << 10 };

/* Returns how many bytes of a text are shown, which "..." follows if there are more. */
size_t plain_size(const char *text);

/* Print what is shown of a text. */
void plain_put(FILE *file, const char *text);

/* Print it, and end the line. */
void plain_line(FILE *file, const char *text);

/* Append it to a text. */
void plain_text(struct text *text, const char *s);

#endif
