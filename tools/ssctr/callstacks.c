// SPDX-License-Identifier: GPL-2.0-only
/* ssctr callstacks: for flame graphs and pprof. */
#include "base/outfile.h"
#include "base/units.h"
#include "calls/calls.h"
#include "recording.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_OUTPUT = 'o',
	OPT_FORMAT = 'f',
};

static const struct opt options[] = {
	REC_OPTS,
	{ OPT_OUTPUT, "output", "FILE", "write to FILE (default: standard output)" },
	{ OPT_FORMAT, "format", "NAME", "select the format, folded (default) or pprof" },
	REC_NAMES_OPT,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "callstacks",
	.usage = "[[-i] perf.data] [option]...",
	.about =
		"Write the call stacks of a recording, and how many samples have each one:\n"
		"  folded  a line for each call stack, for flame graph scripts and speedscope\n"
		"  pprof   the protocol buffer that `go tool pprof` reads, with source lines\n"
		"The recording must contain call stacks, from the hart\n"
		"(perf record --call-graph lbr, or ssctr record -j stack,u -e cycles:u) or from\n"
		"frame pointers (perf record -b -g).",
	.example = "  ssctr callstacks -o program.folded\n"
		   "  ssctr callstacks -f pprof -o program.pb && go tool pprof -top program.pb",
	.opts = options,
};

struct form {
	const char *output; /* NULL: standard output */
	bool pprof;
};

static int count(struct rec *rec, struct calls *calls)
{
	struct error error;
	struct pd_event ev;
	char why[256];
	int ret;

	while ((ret = rec_next(rec, &ev, &error)) > 0)
		if (!calls_count(calls, &ev))
			return cmd_error(&cmd, "out of memory");
	if (ret < 0)
		return rec_error(rec, &error);
	if (!calls->samples)
		return cmd_error(&cmd, "%s: no samples%s", rec->path,
				 samples_none(&rec->samples, why, sizeof(why)));
	if (!calls->nr_stacks)
		return cmd_error(&cmd,
				 "%s: the recording has no call stacks; record with `perf record --call-graph lbr`, `ssctr record -j stack,u -e cycles:u` or `perf record -b -g`",
				 rec->path);
	return CMD_OK;
}

static int write_calls(const struct rec *rec, const struct calls *calls,
		       const struct form *form)
{
	const double coverage = samples_least_coverage(&rec->samples);
	char comment[64] = "coverage not known";
	struct outfile out;
	bool ok;

	if (coverage >= 0)
		snprintf(comment, sizeof(comment), "coverage %.1f%%", units_percent(coverage));
	if (outfile_open(&out, form->output))
		return cmd_error(&cmd, "%s: %s", form->output, strerror(errno));
	ok = form->pprof ? calls_pprof(calls, comment, out.file) :
			   calls_folded(calls, out.file);
	if (outfile_close(&out, ok))
		return cmd_error(&cmd, "%s: %s", form->output, strerror(errno));
	return ok ? CMD_OK : cmd_error(&cmd, "out of memory");
}

/* Of the program's part of a stack, they have a copy. */
static bool copies_stacks(const struct samples *samples)
{
	unsigned int i;

	for (i = 0; i < pd_nr_attrs(samples->pd); i++)
		if (pd_attr(samples->pd, i)->sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

static int convert(struct rec *rec, const struct form *form)
{
	struct notes notes = { 0 };
	struct calls calls;
	int ret = cmd_keeps_input(&cmd, form->output, rec->path) ? rec_open(rec) : CMD_FAIL;

	if (ret)
		return ret;
	calls_begin(&calls, rec->samples.code);
	ret = count(rec, &calls);
	if (!ret && !calls_name(&calls, !rec->how.mangled))
		ret = cmd_error(&cmd, "out of memory");
	if (!ret)
		ret = write_calls(rec, &calls, form);
	if (!ret) {
		notes_add(&notes, calls.nr_stacks, "call stacks, of %zu functions",
			  calls.nr_functions);
		notes_count(&notes, calls.others,
			    "samples of other events left out, because these have no branch stacks");
		samples_note_events(&rec->samples, &notes);
		notes_count(&notes, calls.without,
			    "samples left out, because they have no call stack%s",
			    copies_stacks(&rec->samples) ?
				    "; --call-graph dwarf copies stacks, which only perf unwinds; record with `perf record --call-graph lbr`" :
				    "");
		notes_count(&notes, calls.wrong,
			    "samples with wrong callers, because the hart cannot follow the calls of this program (docs/callstacks.md)");
		notes_count(&notes, calls.deeper,
			    "samples without their outermost functions, because their call stack has more than %d",
			    CALLS_MAX_FRAMES);
		rec_summary(rec, &notes);
	}
	calls_free(&calls);
	return ret;
}

int cmd_callstacks(int argc, char **argv)
{
	struct form form = { .output = "-" };
	struct cmd_opts opts;
	int id, ret = CMD_OK;
	struct rec rec;

	rec_init(&rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		switch (id) {
		case OPT_OUTPUT:
			form.output = opts.arg;
			break;
		case OPT_FORMAT:
			form.pprof = !strcmp(opts.arg, "pprof");
			if (!form.pprof && strcmp(opts.arg, "folded"))
				ret = cmd_usage(&cmd, "--format %s: unknown format; use folded or pprof", opts.arg);
			break;
		default:
			ret = rec_option(&rec, &opts, id);
		}
	}
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && !rec_operand(&rec, &opts))
		ret = CMD_USAGE;
	else if (!ret && form.pprof && !strcmp(form.output, "-") && isatty(STDOUT_FILENO))
		ret = cmd_usage(&cmd, "--format pprof: not written to a terminal; name a file with -o");
	else if (!ret)
		ret = convert(&rec, &form);
	rec_close(&rec);
	return ret;
}
