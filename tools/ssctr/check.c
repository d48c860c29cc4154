// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr check`: whether an STF trace keeps to its specification. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace_input.h"

/* Beside enum cmd_status: the trace cannot be read. */
enum { CHECK_UNREADABLE = 2 };

enum { OPT_LIST = 256 };

static const struct opt options[] = {
	TRACE_INPUT_OPTION,
	{ 'x', "ignore", "NAME", "do not check this requirement; repeatable" },
	{ OPT_LIST, "list", NULL, "list the requirements that are checked" },
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "check",
	.usage = "[option]... [-i] TRACE",
	.about =
		"Check whether an STF trace meets its specification, and whether tools of the\n"
		"reference library crash on it. For each requirement that the trace does not\n"
		"meet, print its name, how often, what is wrong, and the first place. The exit\n"
		"status is 1 if there is one, and 2 if the trace cannot be read to its end.",
	.example = "  ssctr check --ignore NO_PROCESS --ignore MEM_MISSING program.zstf",
	.opts = options,
};

struct check {
	struct stf_check result;
	bool ignored[STF_N_RULES];
};

static bool ignore(struct check *check, const char *name)
{
	unsigned int rule;

	for (rule = 0; rule < STF_N_RULES; rule++)
		if (!strcmp(stf_rule_name(rule), name)) {
			check->ignored[rule] = true;
			return true;
		}
	cmd_usage(&cmd, "--ignore %s: unknown requirement; `ssctr check --list` lists all",
		  name);
	return false;
}

static int list(void)
{
	unsigned int rule;

	for (rule = 0; rule < STF_N_RULES; rule++)
		printf("%-22s %s\n", stf_rule_name(rule), stf_rule_text(rule));
	return CMD_OK;
}

/* Returns how many kinds of faults there are. */
static unsigned int print_found(const struct check *check)
{
	unsigned int rule, kinds = 0;

	for (rule = 0; rule < STF_N_RULES; rule++) {
		const struct stf_found *f = &check->result.found[rule];

		if (!f->count || check->ignored[rule])
			continue;
		kinds += rule != STF_RULE_FSDSP_POPRET;
		printf("%-22s %10" PRIu64 "  %s; first at record %" PRIu64
		       ", byte %" PRIu64 ", instruction %" PRIu64, stf_rule_name(rule),
		       f->count, stf_rule_text(rule), f->record, f->offset,
		       f->instruction);
		if (f->pc)
			printf(", pc %" PRIx64, f->pc);
		printf("\n");
	}
	return kinds;
}

static int check_trace(struct check *check, const struct trace_input *input)
{
	struct stf_reader *reader = trace_input_open(input, &cmd);
	struct stf_stats stats = { .size = sizeof(stats) };
	unsigned int kinds;
	int ret;

	if (!reader)
		return CHECK_UNREADABLE;
	check->result.size = sizeof(check->result);
	ret = stf_check(reader, &check->result);
	kinds = print_found(check);
	if (ret) {
		cmd_error(&cmd, "%s", stf_reader_error(reader));
		ret = CHECK_UNREADABLE;
	} else if (trace_input_unfinished(reader)) {
		/* It was told when the trace was opened. Nobody knows what the end has. */
		ret = CHECK_UNREADABLE;
	} else if (kinds) {
		ret = CMD_FAIL;
	} else {
		stf_reader_stats(reader, &stats);
		printf("%" PRIu64 " records, %" PRIu64 " %s: no faults\n",
		       stats.records, stats.instructions,
		       stf_reader_params(reader)->protocol ? "transactions" :
							     "instructions");
	}
	stf_reader_close(reader);
	return ret;
}

int cmd_check(int argc, char **argv)
{
	struct trace_input input = TRACE_INPUT_INIT;
	struct check check = { .ignored = { false } };
	bool lists = false, others = false;
	struct cmd_opts opts;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0) {
		lists |= id == OPT_LIST;
		others |= id != OPT_LIST;
		switch (id) {
		case 'x':
			if (!ignore(&check, opts.arg))
				return CMD_USAGE;
			break;
		case OPT_LIST:
			break;
		default:
			if (!trace_input_option(&input, &opts, id))
				return CMD_USAGE;
		}
	}
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (lists && (others || opts.argc))
		return cmd_usage(&cmd, "--list checks nothing, and cannot be used with a trace or other options");
	if (lists)
		return list();
	return trace_input_operand(&input, &opts) ?
		       check_trace(&check, &input) :
		       CMD_USAGE;
}
