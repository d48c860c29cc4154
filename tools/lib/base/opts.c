// SPDX-License-Identifier: GPL-2.0-only
#include "base/opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct opt help = { 'h', "help", NULL, "print this" };

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
	return opt == &help ? OPTS_HELP : opt->id;
}

static int take_name(struct opts *opts, struct error *error)
{
	const char *word = opts->argv[opts->at++];
	size_t n = strcspn(word + 2, "=");
	const struct opt *opt = by_name(opts, word + 2, n);

	if (!opt)
		return bad(error, "no option '%s'", word);
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
		     bad(error, "no option '-%s'", name);
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
		fprintf(file, "  %-26s %s\n", left, opt->help);
	}
}

int opts_u64(const char *arg, uint64_t *value, struct error *error)
{
	char *end;

	errno = 0;
	*value = strtoull(arg, &end, strncmp(arg, "0x", 2) ? 10 : 16);
	if (*arg >= '0' && *arg <= '9' && !*end && !errno)
		return 0;
	return error_set(error, ERROR_USAGE, "'%s' is no number", arg);
}
