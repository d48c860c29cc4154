// SPDX-License-Identifier: GPL-2.0-only
/* ssctr model: what records a hart makes of an instruction trace. */
#include "base/text.h"
#include "ctr/replay.h"
#include "perfdata/perfdata.h"
#include "riscv/rv_insn.h"
#include "ssctr.h"
#include "trace_input.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	OPT_INPUT = 'i',
	OPT_SET = 's',
	OPT_DEPTH = 'd',
	OPT_CYCLES = 'c',
	OPT_ALL = 'a',
	OPT_BRSTACK = 'b',
	OPT_JSON = 'j',
	OPT_RV32 = 0x100,
	OPT_ZCM,
	OPT_SAMPLES,
};

static const struct opt options[] = {
	{ OPT_INPUT, "input", "FILE", "read this CSV or STF trace, or - for an STF trace from standard input" },
	{ OPT_SET, "set", "[N:]REG=VALUE", "write a register at the start, or before instruction N" },
	{ OPT_DEPTH, "depth", "N", "set the number of entries of the buffer: 16 (default), 32, 64, 128 or 256" },
	{ OPT_CYCLES, "cycles", "N", "count N cycles for each instruction" },
	{ OPT_ALL, "all", NULL, "print each record when it is made, oldest first" },
	{ OPT_SAMPLES, "samples", NULL, "print the records at each counter overflow, then clear FROZEN" },
	{ OPT_BRSTACK, "brstack", NULL, "print records as `perf script -F brstack` does" },
	{ OPT_JSON, "json", NULL, "print one JSON object for each record, on a line of its own" },
	{ OPT_RV32, "rv32", NULL, "read the CSV as that of a 32-bit hart" },
	{ OPT_ZCM, "zcm", NULL, "model a hart with Zcmp and Zcmt" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "model",
	.usage = "[-i] FILE [option]...",
	.about =
		"Run an instruction trace, Spike's CSV or STF, through a model of Control\n"
		"Transfer Records that follows the specification exactly. Print the records that\n"
		"are in the buffer at the end, newest first.\n"
		"\n"
		"REG is sctrctl, mctrctl, vsctrctl, sctrdepth, sctrstatus or v. With v=1, U and S\n"
		"mean VU and VS. VALUE is a number, or names of fields such as U+RETINH. If you\n"
		"set no control register at the start, sctrctl is U+S. Instructions count from 0.",
	.example =
		"  ssctr model trace.csv --set sctrctl=U+STE --depth 32\n"
		"  ssctr model trace.zstf --set mctrctl=M+S+U --set 5000:sctrctl=U+RASEMU -b",
	.opts = options,
};

enum form { FORM_TABLE, FORM_BRSTACK, FORM_JSON };

struct run {
	struct replay replay;
	struct text text;
	enum form form;
	bool all, samples;
	bool rv32;
};

/* --- printing --- */

static const char *perf_type_name(const struct perf_branch_entry *perf)
{
	const bool extended = perf->type == PERF_BR_EXTEND_ABI;
	const char *name = pd_branch_type_name(extended ? 16 + perf->new_type :
							  perf->type);

	return name[0] ? name : "N/A";
}

/* MISP is not implemented: neither M nor P. */
static void print_brstack(struct text *text, const struct ctr_entry *entry,
			  uint32_t opcode)
{
	const struct ctr_entry_context context = {
		.cause = ctr_cause_of(opcode),
	};
	struct perf_branch_entry perf;

	ctr_entry_to_perf(entry, &context, &perf);
	text_str(text, " 0x");
	text_hex(text, perf.from, 0);
	text_str(text, "/0x");
	text_hex(text, perf.to, 0);
	text_str(text, "/-/-/-/");
	text_dec(text, perf.cycles, 0);
	text_str(text, "/");
	text_str(text, perf_type_name(&perf));
	text_str(text, "/- ");
}

static const char *type_name(enum ctr_type type)
{
	return type == CTR_TYPE_TAKEN ? "taken branch" : rv_xfer_name(type);
}

static void print_json(struct run *run, const struct ctr_entry *entry,
		       unsigned int i)
{
	struct text *text = &run->text;

	text_str(text, "{");
	if (run->all || run->samples)
		text_json_dec(text, "\"instruction\":", run->replay.index);
	if (run->samples)
		text_str(text, ",");
	if (!run->all)
		text_json_dec(text, "\"entry\":", i);
	text_json_dec(text, ",\"source\":", ctr_entry_from(entry));
	text_json_dec(text, ",\"target\":", ctr_entry_to(entry));
	text_json_dec(text, ",\"type\":", ctr_entry_type(entry));
	text_json_str(text, ",\"type_name\":",
		      type_name(ctr_entry_type(entry)));
	if (entry->data & CTR_DATA_CCV)
		text_json_dec(text, ",\"cycles\":", ctr_entry_cycles(entry));
	text_str(text, "}");
}

static void print_row(struct text *text, const struct ctr_entry *entry,
		      uint64_t index)
{
	text_dec(text, index, 11);
	text_str(text, "  ");
	text_hex(text, ctr_entry_from(entry), 16);
	text_str(text, "  ");
	text_hex(text, ctr_entry_to(entry), 16);
	text_str(text, "  ");
	if (entry->data & CTR_DATA_CCV)
		text_dec(text, ctr_entry_cycles(entry), 9);
	else
		text_str(text, "        -");
	text_str(text, "  ");
	text_str(text, type_name(ctr_entry_type(entry)));
}

/* A line, or with --brstack a part of one. */
static void print_entry(struct run *run, unsigned int i)
{
	struct ctr_entry entry;

	model_read_entry(&run->replay.model, i, &entry);
	if (run->form == FORM_BRSTACK) {
		print_brstack(&run->text, &entry,
			      replay_opcode(&run->replay, i));
		return;
	}
	if (run->form == FORM_JSON)
		print_json(run, &entry, i);
	else
		print_row(&run->text, &entry, run->all ? run->replay.index : i);
	text_line(&run->text);
}

static void print_head(struct run *run)
{
	if (run->form != FORM_TABLE)
		return;
	text_str(&run->text, run->all ? "instruction" : "      entry");
	text_str(&run->text,
		 "            source            target     cycles  type");
	text_line(&run->text);
}

/* What is valid in the buffer, newest first. */
static void print_buffer(struct run *run)
{
	const struct model *model = &run->replay.model;
	struct ctr_entry entry;
	unsigned int i;

	print_head(run);
	for (i = 0; i < model_depth(model); i++) {
		model_read_entry(model, i, &entry);
		if (ctr_entry_valid(&entry))
			print_entry(run, i);
	}
	if (run->form == FORM_BRSTACK)
		text_line(&run->text);
}

static void print_record(void *arg)
{
	struct run *run = arg;

	print_entry(run, 0);
	if (run->form == FORM_BRSTACK)
		text_line(&run->text);
}

static void print_sample(void *arg, uint64_t pc)
{
	struct run *run = arg;

	if (run->form == FORM_TABLE) {
		text_str(&run->text, "at instruction ");
		text_dec(&run->text, run->replay.index, 0);
		text_str(&run->text, ", ");
		text_hex(&run->text, pc, 0);
		text_line(&run->text);
	} else if (run->form == FORM_BRSTACK) {
		text_hex(&run->text, pc, 16);
	}
	print_buffer(run);
}

static void print_count(uint64_t count, const char *one, const char *more)
{
	if (count)
		fprintf(stderr, "ssctr model: %" PRIu64 " %s\n", count,
			count == 1 ? one : more);
}

/* --- the command --- */

static int print_result(struct run *run, const struct insn_trace *trace, const char *input)
{
	const struct replay *replay = &run->replay;

	if (!replay->index)
		return cmd_error(&cmd, "%s: no instructions", input);
	if (!run->all && !run->samples)
		print_buffer(run);
	text_flush(&run->text);
	if (trace->stf && trace->coverage.repeated > 0)
		fprintf(stderr, "ssctr model: %" PRId64 " instructions " ORIGIN_REPEATED "\n",
			trace->coverage.repeated);
	print_count(replay->gaps,
		    "gap in the trace: its records are missing",
		    "gaps in the trace: their records are missing");
	print_count(replay->unknown_targets,
		    "trap with an unknown target: its handler is recorded, but is not in the trace",
		    "traps with unknown targets: their handlers are recorded, but are not in the trace");
	return CMD_OK;
}

static int model_trace(struct run *run, const char *input)
{
	struct insn_trace trace;
	struct error error;
	int ret;

	if (insn_trace_open(&trace, input, &error))
		return cmd_error(&cmd, "%s", error.text);
	if (trace.stf && run->rv32) {
		insn_trace_close(&trace);
		return cmd_usage(&cmd, "--rv32 cannot be used with an STF trace, which tells whether its hart has 32 bits");
	}
	if (trace.stf)
		trace_input_warn(input, trace.stf, &cmd);
	trace.rv32 |= run->rv32;
	run->replay.arg = run;
	run->replay.on_record = run->all ? print_record : NULL;
	run->replay.on_overflow = run->samples ? print_sample : NULL;
	if (run->all)
		print_head(run);
	if (replay_run(&run->replay, &trace)) {
		text_flush(&run->text);
		ret = cmd_error(&cmd, "%s", error.text);
	} else {
		ret = print_result(run, &trace, input);
	}
	insn_trace_close(&trace);
	return ret;
}

static int parse_depth(const struct cmd_opts *opts, unsigned int *depth)
{
	uint64_t value;

	if (!cmd_opts_u64(opts, &value))
		return CMD_USAGE;
	for (*depth = 0; *depth <= CTR_DEPTH_MAX; ++*depth)
		if (CTR_DEPTH_ENTRIES(*depth) == value)
			return CMD_OK;
	return cmd_usage(&cmd, "--depth %s: the depth must be 16, 32, 64, 128 or 256",
			 opts->arg);
}

static int parse_cycles(const struct cmd_opts *opts, uint32_t *cycles)
{
	uint64_t value;

	if (!cmd_opts_u64(opts, &value))
		return CMD_USAGE;
	if (value > UINT32_MAX)
		return cmd_usage(&cmd, "--cycles %s: the number is too large", opts->arg);
	*cycles = value;
	return CMD_OK;
}

static int set_form(struct run *run, enum form form)
{
	if (run->form != FORM_TABLE && run->form != form)
		return cmd_usage(&cmd, "--brstack and --json cannot be used together");
	run->form = form;
	return CMD_OK;
}

static int run_command(struct run *run, int argc, char **argv)
{
	struct replay *replay = &run->replay;
	const char *input = NULL;
	struct cmd_opts opts;
	struct error error;
	int id, ret = CMD_OK;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		switch (id) {
		case OPT_INPUT:
			input = opts.arg;
			break;
		case OPT_SET:
			if (register_writes_add(&replay->writes, opts.arg,
						&error))
				ret = cmd_usage(&cmd, "--set: %s", error.text);
			break;
		case OPT_DEPTH:
			ret = parse_depth(&opts, &replay->depth);
			break;
		case OPT_CYCLES:
			ret = parse_cycles(&opts, &replay->cycles);
			replay->counts = true;
			break;
		case OPT_ALL:
			run->all = true;
			break;
		case OPT_SAMPLES:
			run->samples = true;
			break;
		case OPT_BRSTACK:
			ret = set_form(run, FORM_BRSTACK);
			break;
		case OPT_JSON:
			ret = set_form(run, FORM_JSON);
			break;
		case OPT_RV32:
			run->rv32 = true;
			break;
		case OPT_ZCM:
			replay->zcm = true;
			break;
		}
	}
	if (ret)
		return ret;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (run->all && run->samples)
		return cmd_usage(&cmd, "--all and --samples cannot be used together");
	input = cmd_opts_input(&opts, input);
	if (!input)
		return CMD_USAGE;
	return model_trace(run, input);
}

int cmd_model(int argc, char **argv)
{
	struct run run = { .form = FORM_TABLE };
	int ret = run_command(&run, argc, argv);

	register_writes_free(&run.replay.writes);
	return ret;
}
