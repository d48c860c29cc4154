/* SPDX-License-Identifier: GPL-2.0-only */
/* What `ssctr cut` understands by a PLACE, and the comment that says what it did. */
#ifndef SSCTR_CUT_H
#define SSCTR_CUT_H

#include "ssctr.h"
#include "origin/names.h"
#include "tracecut/tracecut.h"

/* names may be NULL. False, and reported, if arg is no place. */
bool cut_place(const struct cmd *cmd, const char *option, const char *arg,
	       struct names *names, struct tcut_place *place);

/* The options of a call as one line. What is too long for it ends in "...". */
struct cut_words {
	size_t len;
	char text[1024];
};

#define CUT_WORDS_INIT	{ 0 }

/* The names of the files, which the comment does not repeat, are left out. */
void cut_words_add(struct cut_words *words, const struct opt *options, int id,
		   const char *arg);

/* The line, with the name of the trace but not its folder. It belongs to words. */
const char *cut_words_end(struct cut_words *words, const char *path);

#endif
