// SPDX-License-Identifier: GPL-2.0-only
/* Options and messages, the same for all subcommands. */
#include "ssctr.h"
#include "base/keeps.h"
#include "base/plain.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static void report(const struct cmd *cmd, const char *fmt, va_list ap)
{
	char *text = NULL;
	const char *p;
	size_t n = 0; /* bytes of a control character */

	/* Keep the order of what is on stdout and stderr. */
	fflush(stdout);
	fprintf(stderr, "ssctr %s: ", cmd->name);
	if (vasprintf(&text, fmt, ap) < 0)
		return;
	/* What a name has of them is for no terminal, and an error has one line. */
	for (p = text; *p; p++) {
		n = n ?: plain_control(p);
		if (n)
			fprintf(stderr, "\\x%02x", (unsigned char)*p);
		else
			fputc(*p, stderr);
		n -= !!n;
	}
	free(text);
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

static void print_help(const struct cmd_opts *opts)
{
	const struct cmd *cmd = opts->cmd;

	printf("Usage: ssctr %s %s\n\n%s\n\n", cmd->name, cmd->usage,
	       cmd->about);
	opts_print(&opts->words, stdout);
	printf("\nExample:\n%s\n", cmd->example);
}

void cmd_opts_init(struct cmd_opts *opts, const struct cmd *cmd, int argc,
		   char **argv)
{
	*opts = (struct cmd_opts){ .cmd = cmd };
	opts_init(&opts->words, cmd->opts, argc, argv);
	opts->words.takes_command = cmd->takes_command;
}

/*
 * No file has the name "", which is what a variable that is not set makes of it. Returns what to
 * give instead, or NULL. The other options with a name do not accept the empty one as theirs.
 */
static const char *lacks_name(const struct opts *words)
{
	static const struct {
		const char *arg, *is;
	} names[] = {
		{ "FILE", "the name of a file" },
		{ "TRACE", "the name of a file" },
		{ "DIR", "the name of a folder" },
		{ "FOLDER", "the name of a folder" },
		{ "OUT", "the name of a folder, or a URL" },
		{ "PREFIX", "how the names of the files begin" },
	};
	const char *arg = words->opt->arg;
	unsigned int i;

	for (i = 0; arg && !*words->arg && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(arg, names[i].arg))
			return names[i].is;
	return NULL;
}

int cmd_opts_next(struct cmd_opts *opts)
{
	struct error error;
	int id = opts_next(&opts->words, &error);
	const char *name;

	opts->arg = opts->words.arg;
	if (id == OPTS_HELP)
		print_help(opts);
	else if (id == OPTS_BAD)
		opts->status = cmd_usage(opts->cmd, "%s", error.text);
	if (id == OPTS_HELP || id == OPTS_BAD)
		return CMD_OPT_EXIT;
	name = id >= 0 ? lacks_name(&opts->words) : NULL;
	if (name) {
		opts->status = cmd_usage(opts->cmd, "--%s '': give %s", opts->words.opt->name,
					 name);
		return CMD_OPT_EXIT;
	}
	if (id >= 0)
		return id;
	opts->argc = opts->words.argc;
	opts->argv = opts->words.argv;
	return CMD_OPT_END;
}

bool cmd_opts_u64(const struct cmd_opts *opts, uint64_t *value)
{
	struct error error;

	if (!opts_u64(opts->arg, value, &error))
		return true;
	cmd_usage(opts->cmd, "--%s: %s", opts->words.opt->name, error.text);
	return false;
}

const char *cmd_opts_input(const struct cmd_opts *opts, const char *input)
{
	int want = input ? 0 : 1;

	if (opts->argc == want)
		return input ? input : opts->argv[0];
	if (opts->argc > want)
		cmd_usage(opts->cmd, "unexpected argument '%s'; give one input",
			  opts->argv[want]);
	else
		cmd_usage(opts->cmd, "no input is given");
	return NULL;
}

bool cmd_is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

void cmd_take_pipe(const char **path)
{
	struct statfs fs;
	struct stat st;
	int fd;

	if (!strcmp(*path, "-") || stat(*path, &st) || !S_ISFIFO(st.st_mode) ||
	    statfs(*path, &fs) || fs.f_type == PIPEFS_MAGIC)
		return;
	fd = open(*path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && dup2(fd, STDIN_FILENO) >= 0)
		*path = "-";
	if (fd > STDIN_FILENO)
		close(fd);
}

bool cmd_keeps_input_of(const struct cmd *cmd, const char *option, const char *output,
			const char *input)
{
	struct error error;

	if (!keeps_input(option, output, input, &error))
		return true;
	cmd_error(cmd, "%s", error.text);
	return false;
}

bool cmd_keeps_input(const struct cmd *cmd, const char *output, const char *input)
{
	return cmd_keeps_input_of(cmd, "-o", output, input);
}

bool cmd_takes_binary(const struct cmd *cmd, const char *output)
{
	struct error error;

	if (!keeps_terminal(output, &error))
		return true;
	cmd_error(cmd, "%s", error.text);
	return false;
}
