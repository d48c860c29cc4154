// SPDX-License-Identifier: GPL-2.0-only
/* ssctr stf: perf samples to STF. */
#include "recording.h"
#include "trace/options.h"

#include <stdio.h>
#include <unistd.h>

static const struct opt options[] = {
	REC_OPTS,
	SAMPLES_PARTIAL_OPT,
	TRACE_OPTS,
	{ 0 },
};

static const struct cmd cmd = {
	.name = "stf",
	.usage = "[[-i] perf.data] -o TRACE [option]...",
	.about =
		"Write an STF trace of the instructions that the branch stacks of a recording\n"
		"prove. Each sample proves a path, from its oldest branch to the instruction at\n"
		"which the sample was taken. Between two paths, the trace has a FORCE_PC.\n\n"
		"Samples overlap if their period is shorter than the number of their branch\n"
		"records. Overlapping samples of a thread are joined to one path. Record them\n"
		"with -j any,u,hw_index, so that the number of new records is known in loops,\n"
		"too. Use --stitch always only if you know that samples overlap whose period\n"
		"does not prove it.",
	.example =
		"  ssctr stf -i perf.data --symfs /srv/riscv-root -o trace.zstf",
	.opts = options,
};

static int read_samples(struct rec *rec, struct trace *t, struct error *error)
{
	struct pd_event ev;
	int ret;

	while ((ret = rec_next(rec, &ev, error)) > 0) {
		ret = trace_sample(t, &ev);
		if (ret)
			break;
	}
	return ret;
}

static int convert(struct rec *rec, const struct trace_opts *opts)
{
	struct notes notes = { 0 };
	struct error error;
	struct trace *t;
	int ret = rec_open(rec);

	if (ret)
		return ret;
	t = trace_open(opts, &rec->samples, &error);
	if (!t)
		return cmd_error(&cmd, "%s", error.text);
	ret = read_samples(rec, t, &error);
	if (!ret)
		ret = trace_close(t);
	if (!ret) {
		if (trace_lacks_table(t, &error))
			cmd_error(&cmd, "%s", error.text);
		trace_note(t, &notes);
		rec_summary(rec, &notes);
	} else {
		ret = rec_failed(rec, ret, &error);
	}
	trace_free(t);
	return ret;
}

int cmd_stf(int argc, char **argv)
{
	struct trace_opts trace = TRACE_OPTS_INIT;
	struct cmd_opts opts;
	struct error error;
	struct rec rec;
	int id, ret = CMD_OK;

	trace.arg = &rec.samples;
	rec_init(&rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		if (rec_has_option(id))
			ret = rec_option(&rec, &opts, id);
		else if (trace_option(&trace, id, opts.arg, &error))
			ret = cmd_usage(&cmd, "%s", error.text);
	}
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && !rec_operand(&rec, &opts))
		ret = CMD_USAGE;
	else if (!ret && trace_check_opts(&trace, &error))
		ret = cmd_usage(&cmd, "%s", error.text);
	else if (!ret && !cmd_takes_binary(&cmd, trace.path))
		ret = CMD_FAIL;
	else if (!ret) {
		/* There may be more breaks than samples. A terminal gets each line at once. */
		if (trace.on_break)
			setvbuf(stderr, NULL, isatty(STDERR_FILENO) ? _IOLBF : _IOFBF, 0);
		ret = convert(&rec, &trace);
	}
	rec_close(&rec);
	return ret;
}
