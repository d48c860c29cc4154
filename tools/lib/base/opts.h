/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parse the words of a command line as options, with a table. Nothing is printed: errors
 * are texts.
 */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One option. The last element of a table has the id 0. */
struct opt {
	/* its letter; without a letter, a number from OPT_NO_LETTER on */
	int id;
	const char *name; /* the long name, without "--" */
	/* the name of its argument in the help; NULL: it has no argument */
	const char *arg;
	const char *help; /* one sentence, of any length */
};

enum { OPT_NO_LETTER = 256 };

enum {
	OPTS_END = -1, /* no more options; .argc and .argv are the operands */
	OPTS_BAD = -2, /* an error; the text says why */
	OPTS_HELP = -3, /* -h or --help, which each table has */
};

/* The state of the parsing. */
struct opts {
	const struct opt *table;
	bool takes_command; /* the first operand ends the options */
	const struct opt *opt; /* the option that was just returned */
	const char *arg; /* its argument */
	int argc; /* at OPTS_END: the number of operands */
	char **argv; /* at OPTS_END: the operands */
	int at; /* the index of the next word */
	/* the next letter in a word with several options; 0: none */
	int letter;
	int nr_operands; /* the number of operands so far */
};

/*
 * Begin. argv has argc words. The first one is neither an option nor an operand. Options
 * and operands can be mixed. This changes the order of argv. "--" ends the options. A
 * long name can be shortened if only one name begins like this.
 */
void opts_init(struct opts *opts, const struct opt *table, int argc,
	       char **argv);

/* Returns the id of the next option, OPTS_END, OPTS_HELP, or OPTS_BAD with a text. */
int opts_next(struct opts *opts, struct error *error);

/* Write the help, in lines of at most 80 columns. */
void opts_print(const struct opts *opts, FILE *file);

/* Find the name that is most similar to an unknown word. */
struct opts_guess {
	const char *word;
	size_t size; /* bytes of the word */
	/* the most similar name so far; NULL: no name is similar */
	const char *name;
	size_t far; /* how much this name differs from the word */
};

/* Try one more name. */
void opts_guess(struct opts_guess *guess, const char *name);

/*
 * The arguments for three %s in a text. They make " (did you mean NAME?)", with a prefix,
 * or nothing.
 */
#define OPTS_GUESSED(_guess, _prefix)                                          \
	(_guess).name ? " (did you mean " _prefix : "",                        \
		(_guess).name ? (_guess).name : "", (_guess).name ? "?)" : ""

/*
 * Returns the next word of a list like a,b,c, and its size in bytes. *list is the list, and
 * then what is left of it. Returns NULL after the last word. A word can be empty.
 */
const char *opts_word(const char **list, size_t *size);

/*
 * Parse NAME,NAME,... and set in *bits bit i for each name that name(i) returns. i is below
 * nr, which is at most 32. Returns false if a word is none of these names.
 */
bool opts_names(const char *list, const char *(*name)(unsigned int i), unsigned int nr,
		unsigned int *bits);

/* Parse a number. 0x means hexadecimal. Returns 0, or ERROR_USAGE with a text. */
int opts_u64(const char *arg, uint64_t *value, struct error *error);

#endif
