// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr join`: several STF traces as one. */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "cut.h"
#include "recording.h"
#include "trace_input.h"
#include "trace_output.h"
#include "tracefile/tracefile.h"
#include "tracejoin/tracejoin.h"

enum {
	OPT_INTERLEAVE = 256,
	OPT_NUMBER,
	MAX_WITH_THREADS = 4,
};

static const struct opt options[] = {
	TRACE_OUTPUT_OPTION,
	{ OPT_INTERLEAVE, "interleave", "N",
	  "let the traces take turns of N instructions, as time slices of one hart would" },
	{ OPT_NUMBER, "number", "WHAT",
	  "give each trace a number of its own: harts (from 0 on) or processes (from 1 on)" },
	TRACE_HEADER_OPTIONS,
	TRACE_CONTAINER_OPTIONS,
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "join",
	.usage = "[option]... -o TRACE TRACE...",
	.about =
		"Write several STF traces as one: one after another, or in turns. Each of them\n"
		"begins with what a reader needs to know there: the PC, the process and the mode.\n"
		"If a trace goes on where the one before it ends, nothing is added between them.",
	.example =
		"  ssctr join -o whole.zstf part1.zstf part2.zstf part3.zstf\n"
		"  ssctr join --interleave 50000 --number processes -o both.zstf a.zstf b.zstf",
	.opts = options,
};

/* What the options say. */
struct asked {
	struct trace_input layout; /* for all traces */
	struct trace_output output;
	struct tjoin_opts join;
};

static bool take_number(struct asked *asked, const char *arg)
{
	if (!strcmp(arg, "harts"))
		asked->join.number = TJOIN_HARTS;
	else if (!strcmp(arg, "processes"))
		asked->join.number = TJOIN_PROCESSES;
	else
		cmd_usage(&cmd, "--number %s: use harts or processes", arg);
	return asked->join.number;
}

static bool take_option(struct asked *asked, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_INTERLEAVE:
		return trace_count(opts, &asked->join.slice);
	case OPT_NUMBER:
		return take_number(asked, opts->arg);
	}
	if (trace_output_has(id))
		return trace_output_option(&asked->output, opts, id);
	return trace_input_option(&asked->layout, opts, id);
}

static int fail(const struct tjoin_result *result, const struct error *error)
{
	static const char *const remedies[] = {
		[TJOIN_NO_REMEDY] = "",
		[TJOIN_NAME_ISA] = "; --isa STRING writes one for the new trace",
		[TJOIN_GIVE_NUMBERS] = "; --number harts or --number processes gives each trace its own",
	};

	return cmd_error(&cmd, "%s%s%s", error->text, remedies[result->remedy],
			 result->failed ? rec_hint(result->failed) : "");
}

static int join(const struct asked *asked)
{
	struct tjoin_result result = { 0 };
	struct error error, unused;
	struct tracefile file;

	/* --interleave reads all of them at the same time. */
	file_raise_limit();
	if (tracefile_open(&file, asked->output.path, &asked->output.opts, &error))
		return cmd_error(&cmd, "%s", error.text);
	if (tjoin_run(&asked->join, file.writer, &result, &error)) {
		tracefile_close(&file, false, &unused);
		return fail(&result, &error);
	}
	if (tracefile_close(&file, true, &error))
		return cmd_error(&cmd, "%s", error.text);
	if (result.unfinished)
		trace_input_tell_unfinished(result.unfinished, &cmd);
	if (result.several)
		cmd_error(&cmd, "%s has several %s, which have one number in the new trace; select one of them with ssctr cut first",
			  result.several,
			  asked->join.number == TJOIN_HARTS ? "harts" : "processes");
	if (result.no_mode)
		cmd_error(&cmd, "%s does not tell its privilege mode; in the new trace, it seems to go on in the mode of the trace before it",
			  result.no_mode);
	return CMD_OK;
}

static bool may_write(const struct asked *asked)
{
	size_t i;

	for (i = 0; i < asked->join.nr; i++)
		if (!cmd_keeps_input(&cmd, asked->output.path, asked->join.paths[i]))
			return false;
	return cmd_takes_binary(&cmd, asked->output.path);
}

static bool take_paths(struct asked *asked, char **argv, int argc)
{
	int i, inputs = 0;

	for (i = 0; i < argc; i++)
		inputs += !strcmp(argv[i], "-");
	if (argc && inputs < 2) {
		asked->join.paths = (const char *const *)argv;
		asked->join.nr = (size_t)argc;
		return true;
	}
	cmd_usage(&cmd, argc ? "standard input can be only one of the traces" :
			       "no trace is given; name the traces to join");
	return false;
}

int cmd_join(int argc, char **argv)
{
	struct asked asked = { .layout = TRACE_INPUT_INIT,
			       .output = TRACE_OUTPUT_INIT };
	struct cut_words words = CUT_WORDS_INIT;
	const char *comments[3] = { NULL };
	struct cmd_opts opts;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (!take_option(&asked, &opts, id))
			return CMD_USAGE;
		cut_words_add(&words, options, id, opts.arg);
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (!asked.output.path)
		return cmd_usage(&cmd, "no output is given; name it with -o");
	if (!take_paths(&asked, opts.argv, opts.argc))
		return CMD_USAGE;
	if (!may_write(&asked))
		return CMD_FAIL;
	comments[0] = cut_words_end(&words, "join", asked.join.paths, asked.join.nr,
				    " one after another");
	comments[1] = asked.output.comment;
	asked.join.isa = asked.output.isa;
	asked.join.comments = comments;
	asked.join.reader = asked.layout.opts;
	/* All of them are open at once. Without threads, each needs half of the memory. */
	if (asked.join.slice && asked.join.nr > MAX_WITH_THREADS)
		asked.join.reader.threads = STF_NO_THREADS;
	asked.output.opts.spec_initiators = asked.layout.opts.spec_initiators;
	return join(&asked);
}
