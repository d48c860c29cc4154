/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the subcommands of `ssctr` share: their entry points, their options and
 * how they report.
 *
 * A subcommand is one file with cmd_NAME(), which takes the arguments from its
 * own name on (argv[0] is "NAME") and returns the exit status of the command.
 */
#ifndef SSCTR_SSCTR_H
#define SSCTR_SSCTR_H

#include "base/opts.h"

#include <stdbool.h>
#include <stdint.h>

enum cmd_status {
	CMD_OK = 0,
	CMD_FAIL = 1, /* the work could not be done */
	CMD_USAGE = 2, /* an unknown subcommand or option, a bad argument */
	CMD_PARTIAL = 3, /* too little of the input could be used */
};

/* In the order of `ssctr --help`; the table is in ssctr.c. */
int cmd_doctor(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_collect(int argc, char **argv);
int cmd_last(int argc, char **argv);
int cmd_stf(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_callstacks(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_csv(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_cut(int argc, char **argv);
int cmd_join(int argc, char **argv);
int cmd_cmp(int argc, char **argv);
int cmd_phases(int argc, char **argv);
int cmd_estimate(int argc, char **argv);
int cmd_champsim(int argc, char **argv);
int cmd_check(int argc, char **argv);

/* A subcommand's options and the text of its --help. */
struct cmd {
	const char *name;
	const char *usage; /* what follows "ssctr NAME " */
	const char *about; /* what it does, lines of at most 76 columns */
	const char *example; /* one or more command lines */
	const struct opt *opts; /* without --help, which each has */
	bool takes_command; /* operands are a command with options of its own */
};

enum {
	CMD_OPT_END = -1, /* no more options: *argc, *argv are the operands */
	CMD_OPT_EXIT = -2, /* leave cmd_NAME() with .status */
};

/* The options of one call. */
struct cmd_opts {
	const struct cmd *cmd;
	struct opts words;
	const char *arg; /* the argument of the option just returned */
	int argc; /* at CMD_OPT_END: how many operands */
	char **argv; /* at CMD_OPT_END: the operands */
	int status; /* at CMD_OPT_EXIT: what to return from cmd_NAME() */
};

/*
 * Options and operands may be mixed; "--" ends the options. cmd_opts_next()
 * returns an option's id, CMD_OPT_END, or CMD_OPT_EXIT after --help (printed,
 * status CMD_OK) and after a bad option (reported, status CMD_USAGE):
 *
 *	cmd_opts_init(&opts, &cmd, argc, argv);
 *	while ((id = cmd_opts_next(&opts)) >= 0)
 *		switch (id) { ... }
 *	if (id == CMD_OPT_EXIT)
 *		return opts.status;
 */
void cmd_opts_init(struct cmd_opts *opts, const struct cmd *cmd, int argc,
		   char **argv);
int cmd_opts_next(struct cmd_opts *opts);

/*
 * The option's argument as a number, 0x for hexadecimal. False, and reported as
 * a usage error, if it is anything else.
 */
bool cmd_opts_u64(const struct cmd_opts *opts, uint64_t *value);

/*
 * The one input of a command that takes `[-i] FILE`: -i's argument (NULL if not
 * given) or the one operand. NULL after a usage error if there are none or too
 * many.
 */
const char *cmd_opts_input(const struct cmd_opts *opts, const char *input);

/* Can it be opened once more, to see what it is? */
bool cmd_is_file(const char *path);

/*
 * If the path is that of a named pipe, make the pipe standard input, and the path "-": opened
 * a second time, it would have lost what was written, or wait for another writer.
 */
void cmd_take_pipe(const char **path);

/*
 * May output, which option names, be written? False, and reported, if it is the file input,
 * which would be lost. Either may be NULL. The option of cmd_keeps_input() is -o.
 */
bool cmd_keeps_input_of(const struct cmd *cmd, const char *option, const char *output,
			const char *input);
bool cmd_keeps_input(const struct cmd *cmd, const char *output, const char *input);

/*
 * May binary data be written to output? False, and reported, if it is "-" and standard
 * output is a terminal.
 */
bool cmd_takes_binary(const struct cmd *cmd, const char *output);

/* One line to stderr, "ssctr NAME: ..."; returns CMD_FAIL. */
int cmd_error(const struct cmd *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for a mistake in the command line, with a hint at --help; returns
 * CMD_USAGE. */
int cmd_usage(const struct cmd *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
