// SPDX-License-Identifier: GPL-2.0-only
/* `ssctr phases`: the phases of a run, and the windows that stand for all of it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "phases.h"

enum {
	OPT_OUTPUT = 'o',
	OPT_INTERVAL = 256,
	OPT_WINDOWS,
	OPT_WARMUP,
	OPT_MAX_PHASES,
	OPT_PHASES,
	OPT_REPRESENTATIVE,
	OPT_PROPORTIONAL,
	OPT_DIMENSIONS,
	OPT_SEED,
	OPT_SIMPOINT,
	DEFAULT_WINDOWS = 60,
	DEFAULT_MAX_PHASES = 20,
};

static const struct opt options[] = {
	{ REC_OPT_INPUT, "input", "FILE",
	  "read this trace or recording (default: perf.data)" },
	{ OPT_OUTPUT, "output", "FILE", "write the windows into this file; -: standard output" },
	{ OPT_INTERVAL, "interval", "N",
	  "divide the run into intervals of N instructions, or N counts of the recorded event (traces: 1000000, recordings: 100 periods)" },
	{ OPT_WINDOWS, "windows", "N", "choose N windows (60)" },
	{ OPT_WARMUP, "warmup", "N",
	  "let a model warm up in the N instructions before each window (0)" },
	{ OPT_MAX_PHASES, "max-phases", "N",
	  "find at most N phases (20, and at most half of the windows)" },
	{ OPT_PHASES, "phases", "N", "find exactly N phases" },
	{ OPT_REPRESENTATIVE, "representative", NULL,
	  "choose the most typical interval of each phase, as SimPoint does; such windows have no error bars" },
	{ OPT_PROPORTIONAL, "proportional", NULL,
	  "give each phase windows by its length alone, and not also by its spread" },
	{ OPT_SIMPOINT, "simpoint", "PREFIX",
	  "write PREFIX.bb, .bb.interval, .simpoints, .weights and .labels in SimPoint's formats" },
	{ OPT_DIMENSIONS, "dimensions", "N", "project the vectors to N dimensions, 1 to 64 (15)" },
	{ OPT_SEED, "seed", "N", "begin with another random number (1)" },
	{ CUT_OPT_USER, "user", NULL, "take only instructions of a trace in user mode" },
	{ CUT_OPT_HART, "hart", "N", "take only instructions of this hart of a trace" },
	{ 'j', "json", NULL, "print one JSON object" },
	SAMPLES_OPTS,
	TRACE_LAYOUT_OPTIONS,
	{ 0 }
};

static const struct cmd cmd = {
	.name = "phases",
	.usage = "[option]... [[-i] TRACE|perf.data]",
	.about =
		"Find the phases of a run, from all instructions of an STF trace or from the\n"
		"samples of a recording, and choose windows that stand for the whole run.\n"
		"For a trace, --pid and --tid take one number.\n"
		"ssctr cut takes the windows out of a trace. After a model has run them,\n"
		"ssctr estimate computes what the whole run would have given, and how exactly.",
	.example =
		"  ssctr phases --interval 100000 -o windows.txt program.zstf\n"
		"  ssctr phases --representative --simpoint program program.zstf",
	.opts = options,
};

static bool take_number(const struct cmd_opts *opts, uint64_t *value, uint64_t most)
{
	if (!cmd_opts_u64(opts, value))
		return false;
	if (*value && *value <= most)
		return true;
	cmd_usage(&cmd, "--%s %s: use 1 to %" PRIu64, opts->words.opt->name, opts->arg, most);
	return false;
}

static bool take_flag(struct phases_asked *asked, int id)
{
	asked->representative |= id == OPT_REPRESENTATIVE;
	asked->by_length |= id == OPT_PROPORTIONAL;
	asked->json |= id == 'j';
	return true;
}

static bool take_trace_option(struct phases_asked *asked, const struct cmd_opts *opts,
			      int id)
{
	struct trace_input input = { .opts = asked->stf };
	bool ok = trace_input_option(&input, opts, id);

	asked->stf = input.opts;
	return ok;
}

static bool take_option(struct phases_asked *asked, const struct cmd_opts *opts, int id)
{
	switch (id) {
	case OPT_OUTPUT:
		asked->output = opts->arg;
		return true;
	case OPT_SIMPOINT:
		asked->simpoint = opts->arg;
		return true;
	case OPT_INTERVAL:
		return take_number(opts, &asked->interval, UINT32_MAX * UINT64_C(1000));
	case OPT_WINDOWS:
		return take_number(opts, &asked->windows, WINDOWS_MAX_INTERVALS);
	case OPT_WARMUP:
		return cmd_opts_u64(opts, &asked->warmup);
	case OPT_MAX_PHASES:
		return take_number(opts, &asked->max_phases, PHASES_MAX_CLUSTERS);
	case OPT_PHASES:
		return take_number(opts, &asked->phases, PHASES_MAX_CLUSTERS);
	case OPT_DIMENSIONS:
		return take_number(opts, &asked->dims, PHASES_MAX_DIMS);
	case OPT_SEED:
		return cmd_opts_u64(opts, &asked->seed);
	case CUT_OPT_USER:
	case CUT_OPT_HART:
		return cut_filter_option(&asked->wanted, opts, id);
	case TRACE_OPT_SPEC_INITIATORS:
	case TRACE_OPT_EVENT_BITS:
		return take_trace_option(asked, opts, id);
	}
	return rec_has_option(id) ? rec_option(&asked->rec, opts, id) == CMD_OK :
				    take_flag(asked, id);
}

/* --- the work --- */

static void choose(const struct phases_asked *asked, struct windows_plan *plan,
		   const struct phases_clusters *clusters)
{
	uint64_t wanted[PHASES_MAX_CLUSTERS];

	phases_plan_stratify(plan, clusters);
	if (asked->representative) {
		phases_plan_represent(plan, clusters);
		return;
	}
	phases_plan_allocate(plan, asked->windows, asked->by_length, wanted);
	phases_plan_choose(plan, wanted, asked->seed);
}

static void show(const struct phases_asked *asked, const struct windows_plan *plan,
		 size_t blocks)
{
	struct text text = { 0 };

	/* The file of windows is there instead. */
	if (asked->output && !strcmp(asked->output, "-"))
		return;
	if (asked->json)
		phases_json(&text, plan, blocks);
	else
		phases_text(&text, plan, blocks);
	text_flush(&text);
}

static int find_phases(const struct phases_asked *asked, const struct phases_bbv *bbv,
		       struct phases_files *files, const char *unit)
{
	const struct phases_points points = { bbv->points, bbv->nr, bbv->dims };
	struct windows_plan plan = {
		.source = asked->rec.path, .unit = unit, .filter = asked->filter,
		.size = bbv->size, .seed = asked->seed, .warmup = asked->warmup,
		.coverage = bbv->coverage, .repeated = bbv->repeated,
		.v = bbv->v, .nr = bbv->nr,
	};
	struct phases_clusters clusters;
	struct error error;
	int ret;

	if (phases_cluster(&clusters, &points, (unsigned int)asked->phases,
			   (unsigned int)asked->max_phases, asked->seed, &error)) {
		ret = cmd_error(&cmd, "%s", error.text);
	} else {
		choose(asked, &plan, &clusters);
		phases_files_write(files, &plan, &clusters);
		ret = phases_files_close(files, &cmd, true);
	}
	if (!ret)
		show(asked, &plan, bbv->nr_blocks);
	phases_clusters_free(&clusters);
	return ret;
}

static int run(struct phases_asked *asked)
{
	struct phases_bbv bbv = { .dims = (unsigned int)asked->dims, .seed = asked->seed };
	struct phases_files files;
	const char *unit;
	int ret = phases_files_open(&files, asked);

	if (!ret) {
		bbv.bb = files.out[PHASES_FILE_BB].file;
		bbv.bb_name = files.names[PHASES_FILE_BB];
		ret = phases_read(asked, &bbv, &unit);
	}
	if (!ret)
		ret = find_phases(asked, &bbv, &files, unit);
	if (ret)
		phases_files_close(&files, &cmd, false);
	phases_bbv_free(&bbv);
	return ret;
}

static const char *contradiction(struct phases_asked *asked)
{
	if (asked->json && asked->output && !strcmp(asked->output, "-"))
		return "--json cannot be used with -o -, which writes the windows to standard output";
	if (asked->representative && (asked->windows || asked->by_length))
		return "--representative chooses one window of each phase, so --windows and --proportional cannot be used with it";
	if (asked->phases && asked->max_phases)
		return "--phases and --max-phases both say how many phases there are; use one of them";
	if (!asked->windows)
		asked->windows = DEFAULT_WINDOWS;
	if (!asked->representative && asked->windows < 2 * asked->phases)
		return "--windows must be at least twice --phases, because two windows of a phase tell how much it varies";
	if (!asked->max_phases)
		asked->max_phases = DEFAULT_MAX_PHASES;
	if (!asked->representative && asked->max_phases > asked->windows / 2)
		asked->max_phases = asked->windows / 2 ?: 1;
	return NULL;
}

int cmd_phases(int argc, char **argv)
{
	struct phases_asked asked = { .stf.size = sizeof(struct stf_reader_opts),
				      .wanted.size = sizeof(asked.wanted),
				      .dims = PHASES_DIMS, .seed = 1 };
	struct cmd_opts opts;
	const char *wrong;
	bool ok = true;
	int id = 0, ret = CMD_USAGE;

	rec_init(&asked.rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (ok && (id = cmd_opts_next(&opts)) >= 0)
		ok = take_option(&asked, &opts, id);
	if (ok && id == CMD_OPT_EXIT) {
		ret = opts.status;
	} else if (ok && rec_operand(&asked.rec, &opts)) {
		wrong = contradiction(&asked);
		ret = wrong ? cmd_usage(&cmd, "%s", wrong) : run(&asked);
	}
	rec_close(&asked.rec);
	return ret;
}
