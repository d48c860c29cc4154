// SPDX-License-Identifier: GPL-2.0-only
/* The command itself: which subcommand is meant. */
#include "ssctr.h"
#include "base/outfile.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of --help. A command without a function is the title of a group. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "Record branches", NULL, NULL },
	{ "doctor", cmd_doctor, "check whether this machine can record branches" },
	{ "record", cmd_record, "record the branches of a command, a process or the system" },
	{ "top", cmd_top, "show what runs most, while it runs" },
	{ "collect", cmd_collect, "record the machine all the time, at a bounded cost" },
	{ "last", cmd_last, "show the last branches before a program died" },
	{ "Look at a recording", NULL, NULL },
	{ "report", cmd_report, "show the most frequent branches, functions and loops of a recording" },
	{ "annotate", cmd_annotate, "show the code of functions, and what each instruction did" },
	{ "diff", cmd_diff, "show which functions, loops and branches changed between recordings" },
	{ "callstacks", cmd_callstacks, "write call stacks for flame graphs and pprof" },
	{ "timeline", cmd_timeline, "write which function ran when, for trace-event viewers" },
	{ "Build faster programs", NULL, NULL },
	{ "profile", cmd_profile, "make a profile for clang, GCC, Go or BOLT from a recording" },
	{ "Profile many machines", NULL, NULL },
	{ "merge", cmd_merge, "merge counts files and recordings into one counts file" },
	{ "export", cmd_export, "give counts files to continuous profilers" },
	{ "Make a trace, and look at it", NULL, NULL },
	{ "stf", cmd_stf, "make an STF trace from a recording" },
	{ "csv", cmd_csv, "convert Spike's instruction CSV to an STF trace, or back" },
	{ "info", cmd_info, "print the header and the counts of an STF trace or a counts file" },
	{ "dump", cmd_dump, "print an STF trace as text" },
	{ "stat", cmd_stat, "print what the instructions of an STF trace do" },
	{ "Work on traces, and feed models", NULL, NULL },
	{ "cut", cmd_cut, "write a part of an STF trace as a trace of its own" },
	{ "join", cmd_join, "write several STF traces as one" },
	{ "cmp", cmd_cmp, "compare two STF traces" },
	{ "phases", cmd_phases, "find the phases of a run, and windows that stand for it" },
	{ "estimate", cmd_estimate, "estimate a whole run from what a model measured in windows" },
	{ "champsim", cmd_champsim, "write an STF trace as a trace of ChampSim" },
	{ "Compare with the specification", NULL, NULL },
	{ "check", cmd_check, "check an STF trace against the specification" },
	{ "model", cmd_model, "print the branch records that a hart makes of an instruction trace" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(void)
{
	size_t i;

	printf("Usage: ssctr <subcommand> [option]...\n"
	       "       ssctr --help | --version\n\n"
	       "Record branches on RISC-V harts with Ssctr, and make reports, profiles and\n"
	       "traces from the recordings.\n\n");
	for (i = 0; i < N_COMMANDS; i++)
		if (commands[i].run)
			printf("  %-10s %s\n", commands[i].name, commands[i].summary);
		else
			printf("%s%s:\n", i ? "\n" : "", commands[i].name);
	printf("\n`ssctr help <subcommand>` prints the help of a subcommand. For example:\n\n"
	       "  ssctr record -o perf.data ./program\n"
	       "  ssctr stf -i perf.data -o program.zstf\n"
	       "  ssctr dump program.zstf | less\n");
}

/* What was printed may fail to be written as late as now. */
static int finish(int status)
{
	const int error = outfile_flush(stdout);

	if (!error)
		return status;
	fprintf(stderr, "ssctr: cannot write the output: %s\n", strerror(error));
	return CMD_FAIL;
}

/* A subcommand's own, by its name. */
static int run(const char *name, int argc, char **argv)
{
	struct opts_guess guess = { .word = name, .size = strlen(name) };
	size_t i;

	for (i = 0; i < N_COMMANDS; i++) {
		if (!commands[i].run)
			continue;
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc, argv);
		opts_guess(&guess, commands[i].name);
	}
	opts_guess(&guess, "help");
	opts_guess(&guess, "--help");
	opts_guess(&guess, "--version");
	fprintf(stderr, "ssctr: unknown %s '%s'%s%s%s; see `ssctr --help`\n",
		name[0] == '-' ? "option" : "subcommand", name,
		OPTS_GUESSED(guess, ""));
	return CMD_USAGE;
}

/* `ssctr help NAME` is `ssctr NAME --help`. */
static int run_help(char *name)
{
	char option[] = "--help", *words[] = { name, option, NULL };

	return run(name, 2, words);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	/*
	 * Whatever started us ignores: `ssctr dump | head` ends quietly, and the kernel tells
	 * when a child ends, and how.
	 */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	/* A file that may not be larger is an error like a full disk, and said to be. */
	signal(SIGXFSZ, SIG_IGN);
	outfile_remove_by_signals();
	if (!name) {
		fprintf(stderr, "ssctr: no subcommand is given; see `ssctr --help`\n");
		return CMD_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h") ||
	    !strcmp(name, "help")) {
		if (argc > 2 && argv[2][0] != '-' && strcmp(argv[2], "help"))
			return finish(run_help(argv[2]));
		help();
		return finish(CMD_OK);
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		printf("ssctr %s\n", SSCTR_VERSION);
		return finish(CMD_OK);
	}
	return finish(run(name, argc - 1, argv + 1));
}
