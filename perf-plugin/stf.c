// SPDX-License-Identifier: GPL-2.0-only
/* ssctr-stf.so: what perf script shows → an STF trace. */
#include "plugin.h"
#include "base/keeps.h"
#include "trace/options.h"

#include <stdio.h>
#include <stdlib.h>

struct stf {
	struct trace_opts opts;
	struct trace *trace;
};

static const struct opt options[] = { SAMPLES_OPTS, SAMPLES_PARTIAL_OPT, PLUGIN_OPTS, TRACE_OPTS, { 0 } };

static void *stf_start(void)
{
	struct stf *stf = calloc(1, sizeof(*stf));

	if (stf)
		stf->opts = (struct trace_opts)TRACE_OPTS_INIT;
	return stf;
}

static int stf_option(void *job, int id, const char *arg, struct error *error)
{
	struct stf *stf = job;

	return trace_option(&stf->opts, id, arg, error);
}

static int stf_open(void *job, struct samples *samples, struct error *error)
{
	struct stf *stf = job;
	struct trace_opts *opts = &stf->opts;
	int ret = trace_check_opts(opts, error);

	opts->arg = samples;
	if (!ret)
		ret = keeps_terminal(opts->path, error);
	if (ret)
		return ret;
	stf->trace = trace_open(opts, samples, error);
	return stf->trace ? 0 : ERROR_OUTPUT;
}

static int stf_sample(void *job, const struct pd_event *ev, const char *comm)
{
	struct stf *stf = job;

	(void)comm;
	return trace_sample(stf->trace, ev);
}

static int stf_close(void *job, struct notes *notes)
{
	struct stf *stf = job;
	int ret = trace_close(stf->trace);
	struct error why;

	if (ret)
		return ret;
	if (trace_lacks_table(stf->trace, &why))
		fprintf(stderr, "ssctr stf: %s\n", why.text);
	trace_note(stf->trace, notes);
	return 0;
}

static void stf_free(void *job)
{
	struct stf *stf = job;

	trace_free(stf->trace);
	free(stf);
}

const struct plugin plugin = {
	.name = "stf",
	.description = "STF traces of the instructions that branch stacks show",
	.longer =
		"perf script --dlfilter ssctr-stf.so --dlarg -o --dlarg TRACE.zstf\n"
		"The options are those of `ssctr stf`. Write --dlarg before each word of them.",
	.opts = options,
	.start = stf_start,
	.option = stf_option,
	.open = stf_open,
	.sample = stf_sample,
	.close = stf_close,
	.free = stf_free,
};
