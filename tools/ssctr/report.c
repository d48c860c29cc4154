// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report: where a recording's branch stacks say that the time went. */
#include "recording.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_LIMIT = 'n',
	OPT_BY = 0x2000,
	OPT_JSON,
	OPT_HTML,
	OPT_SOURCE,
};

enum { TEXT_LIMIT = 10 };

double report_share(const struct hot *hot, unsigned int section, size_t at)
{
	const struct count_list *list = &hot->lists[section];

	if (section == HOT_LOOPS)
		return 100 * hot->loops[list->v[at].number].share;
	if (section == HOT_FUNCTIONS && hot->insns > 0)
		return 100 * hot->functions[list->v[at].number].sum.share;
	return list->sum ? 100.0 * list->v[at].count / list->sum : 0;
}

const char *report_share_of(const struct hot *hot, unsigned int section)
{
	static const char *const of[HOT_NR_LISTS][2] = {
		[HOT_EDGES] = { "all recorded transfers", "all transfers" },
		[HOT_FUNCTIONS] = { "all recorded entries", "all entries" },
		[HOT_LOOPS] = { "all instructions that ran, with inner loops",
				"all instructions that ran, with inner loops" },
		[HOT_BRANCHES] = { "all recorded hard runs", "all hard runs" },
		[HOT_SITES] = { "all recorded indirect jumps and calls",
				"all indirect jumps and calls" },
		[HOT_CALLS] = { "all recorded entries", "all entries" },
	};

	if (section == HOT_FUNCTIONS && hot->insns > 0)
		return "all instructions that ran, without those of what the function calls";
	return of[section][!!(hot->how & HOT_ALL)];
}

const char *report_lacks(const struct hot *hot, unsigned int section)
{
	static const char *const lacks[HOT_NR_LISTS] = {
		[HOT_EDGES] = "Other kinds of branches are missing.",
		[HOT_FUNCTIONS] =
			"Entries by other kinds of branches are missing, and functions that were entered only by them. If only calls were recorded, tail calls are missing.",
		[HOT_SITES] = "Other kinds of indirect branches are missing.",
		[HOT_CALLS] =
			"Entries by other kinds of branches are missing. If only calls were recorded, tail calls are missing.",
	};

	return hot->how & HOT_ALL || !lacks[section] ? "" : lacks[section];
}

static const struct opt options[] = {
	REC_OPTS,
	{ OPT_LIMIT, "limit", "N",
	  "show the N most frequent lines of each section (default: 10; with --json: all)" },
	{ OPT_BY, "by", "LIST",
	  "show only these sections, for example: commands,functions,loops" },
	{ OPT_JSON, "json", NULL, "print one JSON object" },
	{ OPT_HTML, "html", "FILE",
	  "write an HTML page to FILE, with the same tables, filters by binary and thread, and the code of the functions" },
	{ OPT_SOURCE, "source", "FOLDER",
	  "with --html: look for source files below FOLDER; repeatable" },
	REC_HOW_OPTS,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "report",
	.usage = "[[-i] perf.data] [option]...",
	.about =
		"Show the most frequent branches, functions and loops of a recording or a counts\n"
		"file, in these sections:\n"
		"  commands   which commands took the samples; only if there are several\n"
		"  edges      control transfers, with mispredictions and cycles if recorded\n"
		"  functions  where the instructions ran, and how often each was entered\n"
		"  loops      iterations, entries and trips: how often the head runs per entry\n"
		"  branches   conditional branches, and how often they were taken; hardest first\n"
		"  targets    indirect jumps and calls, and where they led\n"
		"  calls      which function called which",
	.example = "  ssctr report -i perf.data --symfs /srv/riscv-root -n 20\n"
		   "  ssctr report -i perf.data --by loops,targets --json",
	.opts = options,
};

const struct report_section report_sections[HOT_NR_LISTS] = {
	[HOT_EDGES] = { "edges", "count", false },
	[HOT_FUNCTIONS] = { "functions", "entries", false },
	[HOT_LOOPS] = { "loops", "iterations", false },
	[HOT_BRANCHES] = { "branches", "hard", false },
	[HOT_SITES] = { "targets", "count", false },
	[HOT_CALLS] = { "calls", "count", false },
};

/* Behind the lists of struct hot. */
enum { COMMANDS = HOT_NR_LISTS, NR_SECTIONS };

static const char *section_name(unsigned int i)
{
	return i == COMMANDS ? "commands" : report_sections[i].name;
}

static bool parse_sections(struct report *report, const char *list)
{
	unsigned int wanted = 0, i;

	memcpy(report->sections, report_sections, sizeof(report_sections));
	if (!opts_names(list, section_name, NR_SECTIONS, &wanted))
		return false;
	report->wants_commands = report->asked_for_commands = wanted >> COMMANDS & 1;
	for (i = 0; i < HOT_NR_LISTS; i++)
		report->sections[i].wanted = wanted >> i & 1;
	return true;
}

static int write_html(struct report *report, struct calls *calls, bool demangle, const char *path)
{
	if (!(report->hot.how & HOT_SUMS) &&
	    (!calls_name(calls, demangle) || !flame_make(&report->flame, calls)))
		return cmd_error(&cmd, "out of memory");
	return page_write(&cmd, path, &report_page, report);
}

struct form {
	bool json;
	bool source; /* folders were given */
	const char *html; /* a file; NULL: none */
};

/* calls: of a page, which also has threads; NULL: none. */
static int count_recording(struct rec *rec, struct report *report, struct calls *calls)
{
	struct error error;
	struct pd_event ev;
	int ret;

	ret = rec_begin_hot(rec, &report->hot);
	if (ret)
		return ret;
	if (calls)
		calls_begin(calls, rec->samples.code);
	rec->samples.comms.named = true;
	while ((ret = rec_next(rec, &ev, &error)) > 0)
		if (!rec_count_hot(rec, &report->hot, &ev) || (calls && !calls_count(calls, &ev)) ||
		    !report_threads_count(&report->threads, &rec->samples, &ev))
			return cmd_error(&cmd, "out of memory");
	ret = rec_end_hot(rec, &report->hot, ret, &error);
	if (!ret && !report_commands_make(&report->commands, &report->threads))
		return cmd_error(&cmd, "out of memory");
	return ret || !calls ? ret : report_threads_find(&report->threads, rec, &report->hot);
}

static int show(struct rec *rec, struct report *report, const struct form *form)
{
	struct calls calls = { 0 };
	bool counts;
	int ret;

	cmd_take_pipe(&rec->path);
	counts = cf_is_countfile(rec->path);
	if (!cmd_keeps_input_of(&cmd, "--html", form->html, rec->path))
		return CMD_FAIL;
	/* Among all sections it is left out. */
	if (counts && report->asked_for_commands)
		return cmd_error(&cmd, "%s: a counts file does not tell which commands ran; leave out `commands` of --by",
				 rec->path);
	report->wants_commands &= !counts;
	if (counts || (!form->html && !report->wants_commands))
		ret = rec_find_hot(rec, &report->hot);
	else
		ret = count_recording(rec, report, form->html ? &calls : NULL);
	if (!ret) {
		report->filtered = !(report->hot.how & HOT_ALL);
		report->rec = rec;
		if (form->html)
			ret = write_html(report, &calls, !rec->how.mangled, form->html);
		else if (form->json)
			report_json(report);
		else
			report_text(report);
	}
	if (!ret)
		rec_printed(rec, &report->hot);
	report_threads_free(&report->threads);
	report_commands_free(&report->commands);
	flame_free(&report->flame);
	calls_free(&calls);
	hot_free(&report->hot);
	return ret;
}

int cmd_report(int argc, char **argv)
{
	struct report report = { .listing = img_listing_new() };
	struct form form = { 0 };
	struct cmd_opts opts;
	bool limited = false;
	int id = CMD_OPT_END, ret = CMD_OK;
	struct rec rec;

	parse_sections(&report, "commands,edges,functions,loops,branches,targets,calls");
	report.asked_for_commands = false;
	rec_init(&rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	if (!report.listing)
		ret = cmd_error(&cmd, "out of memory");
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		switch (id) {
		case OPT_LIMIT:
			limited = true;
			if (!cmd_opts_u64(&opts, &report.limit))
				ret = CMD_USAGE;
			break;
		case OPT_BY:
			if (!parse_sections(&report, opts.arg))
				ret = cmd_usage(
					&cmd,
					"--by %s: not a list of commands, edges, functions, loops, branches, targets, calls",
					opts.arg);
			break;
		case OPT_JSON:
			form.json = true;
			break;
		case OPT_HTML:
			form.html = opts.arg;
			break;
		case OPT_SOURCE:
			form.source = true;
			if (!img_listing_add(report.listing, opts.arg))
				ret = cmd_error(&cmd, "out of memory");
			break;
		default:
			ret = rec_option(&rec, &opts, id);
		}
	}
	rec.how.no_trips = !report.sections[HOT_LOOPS].wanted;
	rec.how.call_stacks = form.html;
	if (!limited)
		report.limit = form.json ? UINT64_MAX : TEXT_LIMIT;
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && !rec_operand(&rec, &opts))
		ret = CMD_USAGE;
	else if (!ret && form.json && form.html)
		ret = cmd_usage(&cmd, "--json and --html cannot be used together");
	else if (!ret && form.source && !form.html)
		ret = cmd_usage(&cmd, "--source needs --html, since only the page shows source lines");
	else if (!ret)
		ret = show(&rec, &report, &form);
	img_listing_free(report.listing);
	rec_close(&rec);
	return ret;
}
