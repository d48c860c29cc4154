// SPDX-License-Identifier: GPL-2.0-only
#include "base/opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct opt help = { 'h', "help", NULL, "print this help" };

/* After an option, the one behind it; help stands behind the table. */
static const struct opt *behind(const struct opt *opt)
{
	if (opt == &help)
		return NULL;
	return opt[1].id ? opt + 1 : &help;
}

static const struct opt *first(const struct opts *opts)
{
	return opts->table->id ? opts->table : &help;
}

static int bad(struct error *error, const char *fmt, const char *name)
{
	error_set(error, ERROR_USAGE, fmt, name);
	return OPTS_BAD;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters are left out, too many, others, or two of them swapped. */
static size_t distance(const char *word, size_t size, const char *name)
{
	enum { MOST = 32 };
	size_t rows[3][MOST + 1], n = strlen(name), i, j;

	if (n > MOST || size > MOST)
		return SIZE_MAX;
	for (i = 0; i <= size; i++) {
		size_t *row = rows[i % 3], *last = rows[(i + 2) % 3];

		for (j = 0; j <= n; j++) {
			if (!i || !j) {
				row[j] = i + j;
				continue;
			}
			row[j] = least(least(row[j - 1], last[j]) + 1,
				       last[j - 1] +
					       (word[i - 1] != name[j - 1]));
			if (i > 1 && j > 1 && word[i - 1] == name[j - 2] &&
			    word[i - 2] == name[j - 1])
				row[j] = least(row[j],
					       rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[size % 3][n];
}

void opts_guess(struct opts_guess *guess, const char *name)
{
	const size_t far = distance(guess->word, guess->size, name);

	/* One letter in three may be wrong, and one of two. */
	if (far > (strlen(name) + 1) / 3 || (guess->name && far >= guess->far))
		return;
	guess->name = name;
	guess->far = far;
}

/* The option of a long name, or of the beginning of one alone. */
static const struct opt *by_name(const struct opts *opts, const char *name,
				 size_t n)
{
	const struct opt *opt, *found = NULL;
	unsigned int nr = 0;

	for (opt = first(opts); opt; opt = behind(opt)) {
		if (strncmp(opt->name, name, n))
			continue;
		if (!opt->name[n])
			return opt;
		found = opt;
		nr++;
	}
	return nr == 1 ? found : NULL;
}

/* The option was found: its argument, if the word has it; else the next word is it. */
static int take(struct opts *opts, const struct opt *opt, const char *arg,
		struct error *error)
{
	if (opt->arg && !arg && opts->at < opts->argc)
		arg = opts->argv[opts->at++];
	if (opt->arg && !arg)
		return bad(error, "--%s needs an argument", opt->name);
	if (!opt->arg && arg)
		return bad(error, "--%s takes no argument", opt->name);
	opts->arg = arg;
	opts->opt = opt;
	return opt == &help ? OPTS_HELP : opt->id;
}

static int no_name(const struct opts *opts, const char *word, size_t n,
		   struct error *error)
{
	struct opts_guess guess = { .word = word + 2, .size = n };
	const struct opt *opt;

	for (opt = first(opts); opt; opt = behind(opt))
		opts_guess(&guess, opt->name);
	error_set(error, ERROR_USAGE, "unknown option '%s'%s%s%s", word,
		  OPTS_GUESSED(guess, "--"));
	return OPTS_BAD;
}

static int take_name(struct opts *opts, struct error *error)
{
	const char *word = opts->argv[opts->at++];
	size_t n = strcspn(word + 2, "=");
	const struct opt *opt = by_name(opts, word + 2, n);

	if (!opt)
		return no_name(opts, word, n, error);
	return take(opts, opt, word[2 + n] ? word + 3 + n : NULL, error);
}

/* One letter of a word, which may have more. */
static int take_letter(struct opts *opts, struct error *error)
{
	const char *letter = opts->argv[opts->at] + opts->letter;
	const char *rest = letter[1] ? letter + 1 : NULL;
	const struct opt *opt = first(opts);
	char name[2] = { *letter };

	while (opt && opt->id != *letter)
		opt = behind(opt);
	if (opt && !opt->arg && rest) {
		opts->letter++;
		rest = NULL;
	} else {
		opts->letter = 0;
		opts->at++;
	}
	return opt ? take(opts, opt, rest, error) :
		     bad(error, "unknown option '-%s'", name);
}

/* The operands that were met, and from the next word on all. */
static int end(struct opts *opts)
{
	int left = opts->argc - opts->at;

	if (!opts->nr_operands) {
		opts->argv += opts->at;
	} else {
		char **first = opts->argv + 1;

		memmove(first + opts->nr_operands, opts->argv + opts->at,
			left * sizeof(*first));
		first[opts->nr_operands + left] = NULL;
		opts->argv = first;
	}
	opts->argc = opts->nr_operands + left;
	return OPTS_END;
}

void opts_init(struct opts *opts, const struct opt *table, int argc,
	       char **argv)
{
	*opts = (struct opts){ .table = table, .at = 1, .argc = argc,
			       .argv = argv };
}

int opts_next(struct opts *opts, struct error *error)
{
	for (; opts->at < opts->argc; opts->at++) {
		char *word = opts->argv[opts->at];

		if (opts->letter)
			return take_letter(opts, error);
		if (!strcmp(word, "--")) {
			opts->at++;
			break;
		}
		if (!strncmp(word, "--", 2))
			return take_name(opts, error);
		if (word[0] == '-' && word[1]) {
			opts->letter = 1;
			return take_letter(opts, error);
		}
		if (opts->takes_command)
			break;
		opts->argv[1 + opts->nr_operands++] = word;
	}
	return end(opts);
}

enum { HELP_COLUMN = 29, HELP_WIDTH = 80 };

/* From a column on, as many lines as it takes. */
static void print_words(FILE *file, const char *text, int column)
{
	bool first = true;

	while (*text) {
		const int size = (int)strcspn(text, " ");

		if (!first && column + 1 + size > HELP_WIDTH) {
			fprintf(file, "\n%*s", HELP_COLUMN - 1, "");
			column = HELP_COLUMN - 1;
		}
		fprintf(file, " %.*s", size, text);
		column += 1 + size;
		text += size;
		text += strspn(text, " ");
		first = false;
	}
	fputc('\n', file);
}

void opts_print(const struct opts *opts, FILE *file)
{
	const struct opt *opt;

	for (opt = first(opts); opt; opt = behind(opt)) {
		const bool letter = opt->id < OPT_NO_LETTER;
		char left[64];

		snprintf(left, sizeof(left), "%c%c%c --%s%s%s",
			 letter ? '-' : ' ', letter ? opt->id : ' ',
			 letter ? ',' : ' ', opt->name, opt->arg ? " " : "",
			 opt->arg ? opt->arg : "");
		print_words(file, opt->help, fprintf(file, "  %-26s", left));
	}
}

const char *opts_word(const char **list, size_t *size)
{
	const char *word = *list;

	if (!word)
		return NULL;
	*size = strcspn(word, ",");
	*list = word[*size] ? word + *size + 1 : NULL;
	return word;
}

bool opts_names(const char *list, const char *(*name)(unsigned int i), unsigned int nr,
		unsigned int *bits)
{
	const char *word;
	unsigned int i;
	size_t size;

	while ((word = opts_word(&list, &size))) {
		for (i = 0; i < nr; i++)
			if (strlen(name(i)) == size && !strncmp(word, name(i), size))
				break;
		if (i == nr)
			return false;
		*bits |= 1u << i;
	}
	return true;
}

int opts_u64(const char *arg, uint64_t *value, struct error *error)
{
	char *end;

	errno = 0;
	*value = strtoull(arg, &end, strncmp(arg, "0x", 2) ? 10 : 16);
	if (*arg >= '0' && *arg <= '9' && !*end && !errno)
		return 0;
	return error_set(error, ERROR_USAGE, "'%s' is not a number", arg);
}
