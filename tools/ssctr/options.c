// SPDX-License-Identifier: GPL-2.0-only
/* Options and messages, the same for all subcommands. */
#include "ssctr.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_OPTS = 32,
	LETTERS = 256, /* ids below are letters */
	ID_HELP = 'h',
};

static void report(const struct cmd *cmd, const char *fmt, va_list ap)
{
	/* Keep the order of what is on stdout and stderr. */
	fflush(stdout);
	fprintf(stderr, "ssctr %s: ", cmd->name);
	vfprintf(stderr, fmt, ap);
}

int cmd_error(const struct cmd *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(cmd, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return CMD_FAIL;
}

int cmd_usage(const struct cmd *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	report(cmd, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see `ssctr %s --help`\n", cmd->name);
	return CMD_USAGE;
}

static void print_option(int id, const char *name, const char *arg,
			 const char *help)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s --%s%s%s", id < LETTERS ? '-' : ' ',
		 id < LETTERS ? id : ' ', id < LETTERS ? "," : " ", name,
		 arg ? " " : "", arg ? arg : "");
	printf("  %-26s %s\n", left, help);
}

static void print_help(const struct cmd *cmd)
{
	const struct cmd_opt *opt;

	printf("Usage: ssctr %s %s\n\n%s\n\n", cmd->name, cmd->usage,
	       cmd->about);
	for (opt = cmd->opts; opt->id; opt++)
		print_option(opt->id, opt->name, opt->arg, opt->help);
	print_option(ID_HELP, "help", NULL, "print this");
	printf("\nExample:\n%s\n", cmd->example);
}

void cmd_opts_init(struct cmd_opts *opts, const struct cmd *cmd, int argc,
		   char **argv)
{
	*opts = (struct cmd_opts){ .cmd = cmd, .argc = argc, .argv = argv };
	optind = 0; /* getopt starts afresh */
	opterr = 0;
}

/* getopt's two tables, from ours. */
static void getopt_tables(const struct cmd *cmd, char *letters,
			  struct option *names)
{
	const struct cmd_opt *opt;

	if (cmd->takes_command)
		*letters++ = '+'; /* the first operand ends the options */
	*letters++ = ':'; /* a missing argument is ':', not '?' */
	for (opt = cmd->opts; opt->id && opt < cmd->opts + MAX_OPTS; opt++) {
		*names++ = (struct option){ opt->name, opt->arg != NULL, NULL,
					    opt->id };
		if (opt->id < LETTERS) {
			*letters++ = (char)opt->id;
			if (opt->arg)
				*letters++ = ':';
		}
	}
	*names++ = (struct option){ "help", 0, NULL, ID_HELP };
	*names = (struct option){ 0 };
	*letters++ = ID_HELP;
	*letters = 0;
}

static const struct cmd_opt *find(const struct cmd *cmd, int id)
{
	const struct cmd_opt *opt;

	for (opt = cmd->opts; opt->id; opt++)
		if (opt->id == id)
			return opt;
	return NULL;
}

/* getopt says no more than the letter, or for a long one where it stands. */
static int bad_option(struct cmd_opts *opts, int id)
{
	const struct cmd_opt *opt = find(opts->cmd, optopt);
	const char *given = opts->argv[optind - 1];

	if (id == ':')
		opts->status = cmd_usage(opts->cmd, "--%s needs an argument",
					 opt ? opt->name : "?");
	else if (opt || optopt == ID_HELP)
		opts->status = cmd_usage(opts->cmd, "--%s takes no argument",
					 opt ? opt->name : "help");
	else if (optopt && optopt < LETTERS)
		opts->status = cmd_usage(opts->cmd, "no option '-%c'", optopt);
	else
		opts->status = cmd_usage(opts->cmd, "no option '%s'", given);
	return CMD_OPT_EXIT;
}

int cmd_opts_next(struct cmd_opts *opts)
{
	struct option names[MAX_OPTS + 2];
	char letters[2 * MAX_OPTS + 4];
	int id;

	getopt_tables(opts->cmd, letters, names);
	id = getopt_long(opts->argc, opts->argv, letters, names, NULL);
	opts->arg = optarg;
	if (id == ':' || id == '?')
		return bad_option(opts, id);
	if (id == ID_HELP) {
		print_help(opts->cmd);
		opts->status = CMD_OK;
		return CMD_OPT_EXIT;
	}
	if (id >= 0)
		return id;
	opts->argc -= optind;
	opts->argv += optind;
	return CMD_OPT_END;
}

bool cmd_opts_u64(const struct cmd_opts *opts, uint64_t *value)
{
	const char *s = opts->arg;
	char *end;

	errno = 0;
	*value = strtoull(s, &end, !strncmp(s, "0x", 2) ? 16 : 10);
	if (*s >= '0' && *s <= '9' && !*end && !errno)
		return true;
	cmd_usage(opts->cmd, "'%s' is no number", s);
	return false;
}

const char *cmd_opts_input(const struct cmd_opts *opts, const char *input)
{
	int want = input ? 0 : 1;

	if (opts->argc == want)
		return input ? input : opts->argv[0];
	if (opts->argc > want)
		cmd_usage(opts->cmd, "one input at a time, '%s' is too much",
			  opts->argv[want]);
	else
		cmd_usage(opts->cmd, "no input is given");
	return NULL;
}
