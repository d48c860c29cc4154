// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr champsim`: an STF trace as a trace of the simulator ChampSim. */
#include <inttypes.h>

#include "base/notes.h"
#include "champsim/champsim.h"
#include "origin/coverage.h"
#include "stats/harts.h"
#include "trace_input.h"

enum { OPT_FLAGS = 256 };

static const struct opt options[] = {
	TRACE_INPUT_OPTION,
	{ 'o', "output", "FILE",
	  "write this file; a name that ends in .xz or .gz compresses it; -: standard output" },
	{ 's', "start", "N", "begin with instruction N; the first is 0" },
	{ 'n', "limit", "N", "read at most N instructions" },
	{ OPT_FLAGS, "flags", NULL,
	  "let conditional branches read the flags in place of their registers, for versions of ChampSim that know only branches of x86" },
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "champsim",
	.usage = "[option]... -o FILE [-i] TRACE",
	.about =
		"Write the instructions of an STF trace as a trace of ChampSim: 64 bytes for each\n"
		"instruction, with its PC, its registers, its branch, and the addresses of its\n"
		"memory accesses. Traces of `ssctr stf` have no such addresses, because branch\n"
		"records do not contain them.",
	.example = "  ssctr champsim -o program.champsim.xz program.zstf",
	.opts = options,
};

struct asked {
	struct trace_input input;
	const char *output;
	struct champsim_opts champsim;
};

static bool take_option(struct asked *asked, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case 'o':
		asked->output = opts->arg;
		return true;
	case 's':
		return cmd_opts_u64(opts, &asked->champsim.start);
	case 'n':
		if (!cmd_opts_u64(opts, &asked->champsim.limit))
			return false;
		if (!asked->champsim.limit)
			cmd_usage(&cmd, "--limit 0: use at least 1");
		return asked->champsim.limit;
	case OPT_FLAGS:
		asked->champsim.flags = true;
		return true;
	}
	return trace_input_option(&asked->input, opts, id);
}

static void tell(const struct champsim_opts *opts, const struct champsim_result *result)
{
	struct notes notes = { 0 };

	/* What a trace tells is of the whole of it. */
	if (opts->start || opts->limit)
		notes_add(&notes, result->instructions, "instructions");
	else
		origin_note_coverage(&result->coverage, result->instructions, &notes);
	notes_count(&notes, result->no_address,
		    "of %" PRIu64 " loads, stores and atomic instructions have no data address, because the trace does not tell it",
		    result->memory);
	notes_count(&notes, result->left_out,
		    "accesses left out: beyond four reads and two writes of an instruction, or at address 0");
	notes_count(&notes, result->interrupted,
		    "instructions left out, because an event came before they executed");
	notes_count(&notes, result->gaps,
		    "gaps: ChampSim takes the instruction after a gap as the next one");
	notes_count(&notes, result->changes,
		    "changes to another thread or process: ChampSim takes the instruction after a change as the next one, and all addresses as those of one process; " STATS_TURNS_APART);
	notes_write(&notes, stderr);
	notes_free(&notes);
}

static int convert(const struct asked *asked, struct stf_reader *reader)
{
	struct champsim_result result;
	struct error error, unused;
	struct packed out;

	if (packed_open(&out, asked->output, &error))
		return cmd_error(&cmd, "%s", error.text);
	if (champsim_write(&asked->champsim, reader, &out, &result, &error)) {
		packed_close(&out, false, &unused);
		return cmd_error(&cmd, "%s", error.text);
	}
	if (packed_close(&out, true, &error))
		return cmd_error(&cmd, "%s", error.text);
	tell(&asked->champsim, &result);
	return CMD_OK;
}

int cmd_champsim(int argc, char **argv)
{
	struct asked asked = { .input = TRACE_INPUT_INIT };
	struct stf_reader *reader;
	struct cmd_opts opts;
	int id, ret;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0)
		if (!take_option(&asked, &opts, id))
			return CMD_USAGE;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (!trace_input_operand(&asked.input, &opts))
		return CMD_USAGE;
	if (!asked.output)
		return cmd_usage(&cmd, "no output is given; name it with -o");
	if (!cmd_keeps_input(&cmd, asked.output, asked.input.path) ||
	    !cmd_takes_binary(&cmd, asked.output))
		return CMD_FAIL;
	reader = trace_input_open(&asked.input, &cmd);
	if (!reader)
		return CMD_FAIL;
	ret = convert(&asked, reader);
	stf_reader_close(reader);
	return ret;
}
