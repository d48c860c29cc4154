// SPDX-License-Identifier: GPL-2.0-only
/* ssctr csv: Spike's processor-trace CSV to STF, and back. */
#include <stdio.h>
#include <string.h>

#include "base/outfile.h"
#include "csv/convert.h"
#include "ssctr.h"
#include "trace_input.h"

enum {
	OPT_INPUT = 'i',
	OPT_OUTPUT = 'o',
	OPT_DATA = 'd',
	OPT_RV32 = 0x100,
	OPT_MODE,
};

static const struct opt options[] = {
	{ OPT_INPUT, "input", "FILE", "read this CSV or STF trace, or - for an STF trace from standard input" },
	{ OPT_OUTPUT, "output", "FILE", "write to FILE, or - for standard output" },
	{ OPT_DATA, "data", "FILE", "read or write Spike's data trace, which belongs to the CSV" },
	{ OPT_RV32, "rv32", NULL, "read the CSV as that of a 32-bit hart" },
	{ OPT_MODE, "mode", "MODE",
	  "set the privilege mode where the STF trace does not tell it: U, S or M" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "csv",
	.usage = "[-i] FILE -o FILE [option]...",
	.about =
		"Convert the instruction CSV of Spike to an STF trace, or an STF trace to this\n"
		"CSV, which the reference flow of the trace encoder reads. The output keeps\n"
		"exceptions, interrupts and modes, and with --data also the accesses to memory\n"
		"and CSRs. So a conversion there and back changes nothing, but for two things in\n"
		"the data trace: rows of store-conditionals that failed, and written values of\n"
		"CSRs that an instruction only reads. An STF trace has no place for them.",
	.example =
		"  ssctr csv spike.csv -o trace.zstf\n"
		"  ssctr csv trace.zstf -o trace.csv\n"
		"  ssctr csv spike.csv --data data.csv -o trace.zstf\n"
		"  ssctr stf -i perf.data -o - | ssctr csv -i - -o perf.csv",
	.opts = options,
};

/* The data trace is read with a CSV, and written with one. Returns CMD_*. */
static int check_data(bool is_csv, const char *output, const char *data)
{
	if (is_csv)
		return cmd_keeps_input(&cmd, output, data) ? CMD_OK : CMD_FAIL;
	if (data && outfile_is_same(output, data))
		return cmd_usage(&cmd, "-o and --data name the same file");
	return CMD_OK;
}

/* What the input tells itself cannot be given. Returns CMD_*. */
static int check_form(bool is_csv, bool rv32, uint8_t mode)
{
	if (!is_csv && rv32)
		return cmd_usage(&cmd, "--rv32 cannot be used with an STF trace, which tells whether its hart has 32 bits");
	if (is_csv && mode != STF_MODE_UNKNOWN)
		return cmd_usage(&cmd, "--mode cannot be used with a CSV, which tells the mode of each instruction");
	return CMD_OK;
}

/* Which way it goes is told by the input's form. */
static int convert(const char *input, const char *output, const char *data,
		   bool rv32, uint8_t mode)
{
	struct notes notes = { 0 };
	struct insn_trace trace;
	struct error error;
	int ret = insn_trace_open(&trace, input, &error), wrong;

	wrong = ret ? CMD_OK :
		      check_form(trace.is_csv, rv32, mode) ?:
		      check_data(trace.is_csv, output, data);
	if (!ret && !wrong && trace.is_csv && !cmd_takes_binary(&cmd, output))
		wrong = CMD_FAIL;
	if (wrong) {
		insn_trace_close(&trace);
		return wrong;
	}
	if (!ret && trace.stf)
		trace_input_warn(input, trace.stf, &cmd);
	if (!ret) {
		trace.rv32 |= rv32;
		trace.mode = mode;
		ret = trace.is_csv ? csv_to_stf(&trace, output, data, &notes,
						&error) :
				     csv_from_stf(&trace, output, data, &notes,
						  &error);
		insn_trace_close(&trace);
		notes_write(&notes, stderr);
		notes_free(&notes);
	}
	return ret ? cmd_error(&cmd, "%s", error.text) : CMD_OK;
}

/* STF_MODE_UNKNOWN if it is none. */
static uint8_t mode_of(const char *name)
{
	uint8_t mode = STF_MODE_USER;

	while (mode < STF_MODE_UNKNOWN && strcmp(name, stf_mode_name(mode)))
		mode++;
	return mode;
}

int cmd_csv(int argc, char **argv)
{
	const char *input = NULL, *output = NULL, *data = NULL;
	uint8_t mode = STF_MODE_UNKNOWN;
	struct cmd_opts opts;
	bool rv32 = false;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		if (id == OPT_INPUT)
			input = opts.arg;
		else if (id == OPT_OUTPUT)
			output = opts.arg;
		else if (id == OPT_DATA)
			data = opts.arg;
		else if (id == OPT_RV32)
			rv32 = true;
		else if ((mode = mode_of(opts.arg)) == STF_MODE_UNKNOWN)
			return cmd_usage(&cmd, "--mode %s: unknown mode; use U, S or M",
					 opts.arg);
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	input = cmd_opts_input(&opts, input);
	if (!input)
		return CMD_USAGE;
	if (!output)
		return cmd_usage(&cmd, "no output is given; name it with -o");
	if (!cmd_keeps_input(&cmd, output, input) ||
	    !cmd_keeps_input_of(&cmd, "--data", data, input))
		return CMD_FAIL;
	return convert(input, output, data, rv32, mode);
}
