// SPDX-License-Identifier: GPL-2.0-only
/* ssctr timeline: which function ran when, for viewers of Chrome's trace events. */
#include "base/outfile.h"
#include "origin/coverage.h"
#include "path/stitch.h"
#include "recording.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

enum { OPT_OUTPUT = 'o', OPT_BY = 0x2000 };

static const struct opt options[] = {
	REC_OPTS,
	{ OPT_OUTPUT, "output", "FILE", "write to FILE (default: standard output)" },
	{ OPT_BY, "by", "WHAT",
	  "select what the axis shows: instructions (default), cycles or time" },
	REC_NAMES_OPT,
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "timeline",
	.usage = "[[-i] perf.data] [option]...",
	.about =
		"Write which function ran when, from its call to its return, as trace events.\n"
		"ui.perfetto.dev, chrome://tracing and speedscope show them. Samples that overlap\n"
		"are joined. Where samples do not overlap, the timeline has a gap.",
	.example = "  ssctr timeline -o program.json\n"
		   "  ssctr timeline --tid 1234 --by time -o thread.json",
	.opts = options,
};

struct form {
	const char *output;
	enum timeline_axis axis;
};

static int parse_axis(struct form *form, const char *arg)
{
	unsigned int i;

	for (i = 0; i < TIMELINE_NR_AXES; i++) {
		form->axis = i;
		if (!strcmp(timeline_axis_name(i), arg))
			return CMD_OK;
	}
	return cmd_usage(&cmd, "--by %s: unknown axis; use instructions, cycles or time", arg);
}

/* What most of the code that is not known is. NULL: all is known. */
static const char *most_unknown(const struct timeline_stats *stats)
{
	const char *text = NULL;
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; i < IMG_NR_STATES; i++)
		if (stats->unknown[i] > most) {
			most = stats->unknown[i];
			text = img_state_text(i);
		}
	return text;
}

/* All samples were read. */
static int end(struct rec *rec, struct timeline *timeline, enum timeline_axis axis)
{
	const struct timeline_stats *stats = timeline_stats(timeline);

	if (!stats->instructions && most_unknown(stats))
		return cmd_error(&cmd, "%s: there is no instruction to show, because the code is not known: %s",
				 rec->path, most_unknown(stats));
	if (axis == TIMELINE_CYCLES && !stats->timed)
		return cmd_error(&cmd, "%s: no branch record has cycles; use --by instructions",
				 rec->path);
	return timeline_end(timeline) ? CMD_OK : cmd_error(&cmd, "out of memory");
}

static int draw(struct rec *rec, struct timeline *timeline, enum timeline_axis axis)
{
	struct error error;
	struct pd_event ev;
	char why[256];
	int ret;

	while ((ret = rec_next(rec, &ev, &error)) > 0)
		if (!timeline_sample(timeline, &ev))
			return cmd_error(&cmd, "out of memory");
	if (ret < 0)
		return rec_error(rec, &error);
	if (timeline_stats(timeline)->calls || timeline_stats(timeline)->samples)
		return end(rec, timeline, axis);
	if (timeline_stats(timeline)->partial)
		return cmd_error(&cmd,
				 "%s: the branch filter leaves out branches, so paths cannot be found; record with `perf record -b COMMAND`",
				 rec->path);
	return cmd_error(&cmd, "%s: no branch stack in any sample%s", rec->path,
			 samples_none(&rec->samples, why, sizeof(why)));
}

static void tell(struct rec *rec, const struct timeline_stats *stats)
{
	struct notes notes = { 0 };
	uint64_t unknown = 0;
	unsigned int i;

	for (i = 0; i < IMG_NR_STATES; i++)
		unknown += stats->unknown[i];
	notes_add(&notes, stats->calls, "calls of functions, in %" PRIu64 " instructions",
		  stats->instructions);
	notes_add(&notes, stats->samples, "samples, of which %" PRIu64
		  " overlap with the sample before", stats->joined);
	origin_note_held(stats->shown, stats->ran, rec->samples.opts->least,
			 samples_loss_remedy(&rec->samples), &notes);
	notes_count(&notes, stats->older, "instructions " ORIGIN_UNPROVEN);
	notes_count(&notes, stats->gaps, "gaps%s",
		    stats->gaps > unknown ? "; docs/trace.md tells how to record without gaps" : "");
	for (i = 0; i < IMG_NR_STATES; i++)
		notes_count(&notes, stats->unknown[i],
			    "of the gaps: the code is not known: %s", img_state_text(i));
	if (stats->timed)
		notes_count(&notes, stats->untimed,
			    "transfers without cycles, which count their instructions");
	notes_count(&notes, stats->partial,
		    "samples left out, because the branch filter leaves out branches");
	notes_count(&notes, stats->again, SAMPLES_AGAIN);
	rec_summary(rec, &notes);
}

static int convert(struct rec *rec, const struct form *form)
{
	struct timeline *timeline;
	struct outfile out;
	int ret = cmd_keeps_input(&cmd, form->output, rec->path) ? rec_open(rec) : CMD_FAIL;

	if (ret)
		return ret;
	if (form->axis == TIMELINE_TIME && !samples_have(&rec->samples, PERF_SAMPLE_TIME))
		return cmd_error(&cmd, "%s: the samples do not tell when they were taken; use --by instructions",
				 rec->path);
	if (outfile_open(&out, form->output))
		return cmd_error(&cmd, "%s: %s", form->output, strerror(errno));
	timeline = timeline_new(&rec->samples, form->axis, !rec->how.mangled, out.file);
	ret = timeline ? draw(rec, timeline, form->axis) : cmd_error(&cmd, "out of memory");
	if (outfile_close(&out, !ret) && !ret)
		ret = cmd_error(&cmd, "%s: %s", form->output, strerror(errno));
	if (!ret)
		tell(rec, timeline_stats(timeline));
	timeline_free(timeline);
	return ret;
}

int cmd_timeline(int argc, char **argv)
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
		case OPT_BY:
			ret = parse_axis(&form, opts.arg);
			break;
		default:
			ret = rec_option(&rec, &opts, id);
		}
	}
	if (!ret && id == CMD_OPT_EXIT)
		ret = opts.status;
	else if (!ret && !rec_operand(&rec, &opts))
		ret = CMD_USAGE;
	else if (!ret)
		ret = convert(&rec, &form);
	rec_close(&rec);
	return ret;
}
