/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words of a command line as options, by tables. Nothing is printed: what is wrong is
 * a text.
 */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One option. A table ends with one whose id is 0. */
struct opt {
	int id; /* its letter, or a number from OPT_NO_LETTER for one without */
	const char *name; /* the long name, without "--" */
	const char *arg; /* the argument's name in a help text, NULL: it takes none */
	const char *help; /* one line */
};

enum { OPT_NO_LETTER = 256 };

enum {
	OPTS_END = -1, /* no more options: .argc, .argv are the operands */
	OPTS_BAD = -2, /* the text says why */
	OPTS_HELP = -3, /* -h or --help, which each table has */
};

/* The words of one call. */
struct opts {
	const struct opt *table;
	bool takes_command; /* the first operand ends the options */
	const struct opt *opt; /* the option just returned */
	const char *arg; /* its argument */
	int argc; /* at OPTS_END: how many operands */
	char **argv; /* at OPTS_END: the operands */
	int at; /* the word to look at next */
	int letter; /* the next in it, where it has several options; 0: none */
	int nr_operands; /* met so far */
};

/*
 * argv has argc words, of which the first is none of them. Options and operands may
 * be mixed, which brings argv into another order; "--" ends the options. A long name
 * may be shortened as far as it stays the only one.
 */
void opts_init(struct opts *opts, const struct opt *table, int argc,
	       char **argv);

/* The next option's id, OPTS_END, OPTS_HELP, or OPTS_BAD with a text. */
int opts_next(struct opts *opts, struct error *error);

/* A line each. */
void opts_print(const struct opts *opts, FILE *file);

/* Which of some names is meant by a word that is none of them. */
struct opts_guess {
	const char *word;
	size_t size; /* of the word */
	const char *name; /* the nearest so far, NULL: none is near */
	size_t far; /* how far that one is */
};

/* One more name that may be meant. */
void opts_guess(struct opts_guess *guess, const char *name);

/* For three %s of a text: " (did you mean NAME?)", with a prefix, or nothing. */
#define OPTS_GUESSED(_guess, _prefix)                                          \
	(_guess).name ? " (did you mean " _prefix : "",                        \
		(_guess).name ? (_guess).name : "", (_guess).name ? "?)" : ""

/* A number, 0x for hexadecimal. Returns 0, or ERROR_USAGE with a text. */
int opts_u64(const char *arg, uint64_t *value, struct error *error);

#endif
