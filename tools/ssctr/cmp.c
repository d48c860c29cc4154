// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr cmp`: the differences between two STF traces. */
#include <string.h>

#include "base/outfile.h"
#include "cmp.h"
#include "cut.h"
#include "recording.h"
#include "trace_input.h"

/* As cmp(1) and diff(1) have it. */
enum { CMP_SAME, CMP_DIFFERENT, CMP_TROUBLE };

enum {
	OPT_IGNORE = 256,
	OPT_ALL,
	OPT_SEARCH,
	MAX_SEARCH = 50000,
};

static const struct opt options[] = {
	{ OPT_IGNORE, "ignore", "LIST",
	  "ignore differences of these kinds: header, pc, opcode, targets, events, modes, processes, memory, bus, registers, walks, microops, comments" },
	{ OPT_ALL, "all", NULL, "show all differences" },
	{ 'n', "limit", "N", "show at most N differences (1)" },
	{ 'q', "quiet", NULL, "print nothing, and stop at the first difference" },
	{ 's', "start", "N", "begin with instruction N of both traces; the first is 0" },
	CUT_FILTER_OPTIONS("compare"),
	{ OPT_SEARCH, "search", "N",
	  "where the traces differ, search N instructions of each for the place where they agree again, at most 50000 (10000)" },
	{ 'j', "json", NULL,
	  "print one JSON object for each difference, and one for the summary, on lines of their own" },
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "cmp",
	.usage = "[option]... TRACE TRACE",
	.about =
		"Compare two STF traces, instruction by instruction. Print the first difference\n"
		"in the form of ssctr dump, with the instructions before it, and how many\n"
		"differences of each kind there are. Lines with - are of the first trace, lines\n"
		"with + of the second one.\n\n"
		"Instructions that only one trace has are one difference. The traces agree again\n"
		"where 16 instructions in a row have the same PCs and opcodes.\n\n"
		"The exit status is 0 if the traces are the same, 1 if they differ, and 2 if they\n"
		"cannot be compared to their ends.",
	.example = "  ssctr cmp --ignore comments,header old.zstf new.zstf",
	.opts = options,
};

/* What the options say. */
struct asked {
	struct trace_input layout; /* for both traces */
	struct tcmp_opts cmp;
	struct stf_select_opts filter;
	struct cmp_report report;
	bool selects; /* only some instructions are wanted */
	bool quiet, json;
};

static bool take_ignore(struct asked *asked, const char *arg)
{
	if (opts_names(arg, tcmp_kind_name, TCMP_N_KINDS, &asked->cmp.ignore))
		return true;
	cmd_usage(&cmd, "--ignore %s: not a list of header, pc, opcode, targets, events, modes, processes, memory, bus, registers, walks, microops, comments",
		  arg);
	return false;
}

static bool take_search(struct asked *asked, const struct cmd_opts *opts)
{
	if (!cmd_opts_u64(opts, &asked->cmp.bound))
		return false;
	if (asked->cmp.bound <= MAX_SEARCH)
		return true;
	cmd_usage(&cmd, "--search %s: use at most %d", opts->arg, MAX_SEARCH);
	return false;
}

static bool take_option(struct asked *asked, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_IGNORE:
		return take_ignore(asked, opts->arg);
	case OPT_ALL:
		asked->report.limit = UINT64_MAX;
		return true;
	case 'n':
		return cmd_opts_u64(opts, &asked->report.limit);
	case 'q':
		asked->quiet = true;
		return true;
	case 's':
		return cmd_opts_u64(opts, &asked->cmp.start);
	case OPT_SEARCH:
		return take_search(asked, opts);
	case 'j':
		asked->json = true;
		return true;
	}
	if (cut_filter_has(id)) {
		asked->selects = true;
		return cut_filter_option(&asked->filter, opts, id);
	}
	return trace_input_option(&asked->layout, opts, id);
}

/* ---------------------------------------------------------------- the command */

static bool found(void *user, const struct tcmp_difference *difference)
{
	struct asked *asked = user;
	struct cmp_report *report = &asked->report;

	if (asked->quiet)
		return false;
	if (report->shown == report->limit)
		return true;
	if (asked->json)
		cmp_json_difference(report, difference);
	else
		cmp_text_difference(report, difference);
	report->shown++;
	return true;
}

static int show_end(struct asked *asked, const struct tcmp_result *result, bool unfinished)
{
	struct text *text = &asked->report.dump.text;
	int error;

	if (!asked->quiet && asked->json)
		cmp_json_end(&asked->report, result);
	else if (!asked->quiet)
		cmp_text_end(&asked->report, result);
	text_flush(text);
	error = outfile_flush(stdout);
	if (!error && result->differences)
		return CMP_DIFFERENT;
	/* What is missing was told when the traces were opened, and may differ. */
	if (!error)
		return unfinished ? CMP_TROUBLE : CMP_SAME;
	/* Otherwise, the status would say that the traces differ. */
	cmd_error(&cmd, "the output cannot be written: %s", strerror(error));
	return CMP_TROUBLE;
}

/* Two traces without what is wanted are not the same for that. */
static bool has_nothing(const struct asked *asked, const struct tcmp_result *result)
{
	return (asked->selects || asked->cmp.start) && result->complete && !result->both &&
	       !result->only[0] && !result->only[1];
}

static int compare(struct asked *asked, struct stf_reader *readers[2],
		   const struct stf_select *filter)
{
	const bool unfinished = trace_input_unfinished(readers[0]) ||
				trace_input_unfinished(readers[1]);
	struct tcmp_result result;
	struct error error;

	asked->report.bound = asked->cmp.bound;
	asked->cmp.found = found;
	asked->cmp.user = asked;
	asked->cmp.filter = filter;
	if (!tcmp_run(&asked->cmp, readers, &result, &error)) {
		if (!has_nothing(asked, &result))
			return show_end(asked, &result, unfinished);
		error_set(&error, ERROR_NOTHING,
			  "no instruction of either trace is selected; `ssctr info %s` prints what the trace has",
			  asked->report.names[0]);
	}
	/* What was found before the error is shown, too. */
	text_flush(&asked->report.dump.text);
	fflush(stdout);
	cmd_error(&cmd, "%s", error.text);
	return CMP_TROUBLE;
}

static int compare_files(struct asked *asked, char **paths)
{
	struct stf_reader *readers[2] = { NULL };
	struct stf_select *filter = cut_select(&cmd, &asked->filter);
	int i, ret = CMP_TROUBLE;

	for (i = 0; filter && i < 2; i++) {
		asked->layout.path = asked->report.names[i] = paths[i];
		readers[i] = trace_input_open(&asked->layout, &cmd);
		if (!readers[i])
			break;
	}
	if (i == 2)
		ret = compare(asked, readers, filter);
	stf_reader_close(readers[0]);
	stf_reader_close(readers[1]);
	stf_select_free(filter);
	return ret;
}

int cmd_cmp(int argc, char **argv)
{
	struct asked asked = { .layout = TRACE_INPUT_INIT,
			       .cmp = { .bound = 10000 },
			       .filter.size = sizeof(asked.filter),
			       .report = { .limit = 1 } };
	struct cmd_opts opts;
	int id;

	cmd_opts_init(&opts, &cmd, argc, argv);
	while ((id = cmd_opts_next(&opts)) >= 0)
		if (!take_option(&asked, &opts, id))
			return CMP_TROUBLE;
	if (id == CMD_OPT_EXIT)
		return opts.status;
	if (opts.argc != 2)
		return cmd_usage(&cmd, "give two traces");
	if (!strcmp(opts.argv[0], "-") && !strcmp(opts.argv[1], "-"))
		return cmd_usage(&cmd, "standard input can be only one of the traces");
	return compare_files(&asked, opts.argv);
}
