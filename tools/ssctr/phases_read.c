// SPDX-License-Identifier: GPL-2.0-only
/* What `ssctr phases` reads: a trace or a recording, by what the file is. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "phases.h"
#include "base/array.h"
#include "phases/sampled.h"
#include "phases/trace.h"

enum {
	TRACE_INTERVAL = 1000000,
	INTERVAL_SAMPLES = 100, /* of a recording with a fixed period */
	FEW_SAMPLES = 20, /* too few to tell a vector */
};

/* --- a trace --- */

/* The one number of a list, or none. */
static bool take_one(const struct phases_asked *asked, const char *option,
		     const struct samples_list *list, bool *by, uint32_t *id)
{
	if (!list->nr)
		return true;
	*by = true;
	*id = list->v[0].first;
	if (list->nr == 1 && list->v[0].first == list->v[0].last)
		return true;
	cmd_usage(asked->rec.cmd, "%s: %s is a trace, for which this option takes one number",
		  option, asked->rec.path);
	return false;
}

static void add_filter(struct phases_asked *asked, const char *option, bool by,
		       uint32_t id)
{
	size_t n = strlen(asked->filter);

	if (by)
		snprintf(asked->filter + n, sizeof(asked->filter) - n,
			 "%s%s %" PRIu32, n ? " " : "", option, id);
}

static bool take_filters(struct phases_asked *asked, struct stf_select_opts *wanted)
{
	const struct samples_opts *opts = &asked->rec.opts;

	if (opts->cpus.nr || opts->comms.nr || opts->dsos.nr || opts->symbols.nr || opts->time_from ||
	    opts->time_to != UINT64_MAX || opts->share_to) {
		cmd_usage(asked->rec.cmd, "%s is a trace; --cpu, --comm, --dso, --symbol and --time are for recordings, and --hart is for traces",
			  asked->rec.path);
		return false;
	}
	*wanted = asked->wanted;
	if (!take_one(asked, "--pid", &opts->pids, &wanted->by_pid, &wanted->process.pid) ||
	    !take_one(asked, "--tid", &opts->tids, &wanted->by_tid, &wanted->process.tid))
		return false;
	strcpy(asked->filter, cut_is_user(wanted) ? "--user" : "");
	add_filter(asked, "--hart", wanted->by_hart, wanted->process.hart);
	add_filter(asked, "--pid", wanted->by_pid, wanted->process.pid);
	add_filter(asked, "--tid", wanted->by_tid, wanted->process.tid);
	if (asked->warmup && *asked->filter)
		cmd_usage(asked->rec.cmd, "--warmup cannot be used with %s, because it counts all instructions",
			  asked->filter);
	return !asked->warmup || !*asked->filter;
}

static int read_trace(struct phases_asked *asked, struct phases_bbv *bbv,
		      struct stf_reader *reader)
{
	const struct cmd *cmd = asked->rec.cmd;
	struct stf_select_opts wanted;
	struct stf_select *select;
	struct error error;
	int ret;

	if (!take_filters(asked, &wanted))
		return CMD_USAGE;
	select = cut_select(cmd, &wanted);
	if (!select)
		return CMD_FAIL;
	bbv->size = asked->interval ? asked->interval : TRACE_INTERVAL;
	ret = phases_read_trace(bbv, reader, select, &error);
	stf_select_free(select);
	if (ret)
		return cmd_error(cmd, "%s", error.text);
	if (bbv->nr)
		return CMD_OK;
	return cmd_error(cmd, "no instruction is selected; `ssctr info %s` prints how many the trace has",
			 asked->rec.path);
}

/* --- a recording --- */

/* Samples of one event count: that of the first one with a branch stack. */
struct samples_read {
	struct phases_asked *asked;
	struct phases_bbv *bbv;
	struct hot hot;
	const struct pd_attr *attr;
	uint64_t *places; /* by event: the periods of all samples so far, wanted or not */
	size_t cap_places;
	bool failed; /* out of memory */
	uint64_t others; /* samples of other events */
	uint64_t period; /* the sum of all */
	uint64_t samples;
};

static int begin_samples(struct samples_read *r, const struct pd_event *ev)
{
	const struct cmd *cmd = r->asked->rec.cmd;

	r->attr = ev->attr;
	r->bbv->size = r->asked->interval;
	if (!r->bbv->size && (ev->attr->freq || !ev->attr->sample_period))
		return cmd_error(cmd, "%s was recorded %swithout a fixed period; say with --interval how long an interval is",
				 r->asked->rec.path, ev->attr->freq ? "at a rate, " : "");
	if (!r->bbv->size)
		r->bbv->size = INTERVAL_SAMPLES * ev->attr->sample_period;
	return CMD_OK;
}

/* Of an event, which a pipe may tell later than others. NULL: out of memory. */
static uint64_t *place_of(struct samples_read *r, const struct pd_attr *attr)
{
	if (!array_cover(&r->places, attr->index, &r->cap_places, sizeof(*r->places)))
		return NULL;
	return &r->places[attr->index];
}

static int take_sample(struct samples_read *r, const struct pd_event *ev)
{
	const struct cmd *cmd = r->asked->rec.cmd;
	const uint64_t period = pd_period(ev);
	uint64_t *place = place_of(r, ev->attr);
	struct error error;

	if (!place || r->failed)
		return cmd_error(cmd, "out of memory");
	if (!r->attr && ev->sample.has_branches && begin_samples(r, ev))
		return CMD_FAIL;
	if (ev->attr != r->attr) {
		r->others++;
		return CMD_OK;
	}
	if (!period)
		return cmd_error(cmd, "%s: the samples do not tell their periods; record with a fixed period (-c)",
				 r->asked->rec.path);
	if (!hot_count(&r->hot, ev) || !hot_settle(&r->hot))
		return cmd_error(cmd, "out of memory");
	r->samples++;
	r->period += period;
	if (!r->bbv->now.length)
		r->bbv->now.start = *place;
	*place += period;
	if (phases_add_sample(r->bbv, &r->hot.counts, period,
			      ev->time == PD_NO_TIME ? 0 : ev->time, &error))
		return cmd_error(cmd, "%s", error.text);
	return CMD_OK;
}

/* What the options leave out lies before what comes after it. */
static void pass_sample(void *arg, const struct pd_event *ev)
{
	struct samples_read *r = arg;
	uint64_t *place = place_of(r, ev->attr);

	if (place)
		*place += pd_period(ev);
	else
		r->failed = true;
}

static void note_samples(const struct samples_read *r)
{
	const struct phases_bbv *bbv = r->bbv;
	struct notes notes = { 0 };
	uint64_t mean = r->period / r->samples;
	size_t few = 0, i;

	notes_add(&notes, r->samples, "samples in %zu intervals", bbv->nr);
	notes_count(&notes, r->others, "samples of other events left out");
	/* The last interval may be short. */
	for (i = 0; i + 1 < bbv->nr; i++)
		few += bbv->v[i].samples < FEW_SAMPLES;
	notes_count(&notes, few,
		    "intervals have fewer than %d samples, so that their phases are not certain; record with -c %" PRIu64
		    ", or use --interval %" PRIu64,
		    FEW_SAMPLES, bbv->size / FEW_SAMPLES ?: 1, FEW_SAMPLES * mean);
	rec_summary(&r->asked->rec, &notes);
}

static int read_samples(struct samples_read *r, const char **unit)
{
	struct rec *rec = &r->asked->rec;
	struct error error;
	struct pd_event ev;
	char why[256];
	int ret;

	if (!samples_have_all_branches(&rec->samples))
		return cmd_error(rec->cmd, "%s: not all kinds of branches were recorded; record with -j any or with -b",
				 rec->path);
	while ((ret = rec_next(rec, &ev, &error)) > 0) {
		ret = take_sample(r, &ev);
		if (ret)
			return ret;
	}
	if (ret < 0)
		return rec_error(rec, &error);
	if (phases_bbv_end_interval(r->bbv, &error))
		return cmd_error(rec->cmd, "%s", error.text);
	if (!r->bbv->nr)
		return cmd_error(rec->cmd, "%s: no branch stack in any sample%s", rec->path,
				 samples_none(&rec->samples, why, sizeof(why)));
	*unit = r->attr->name ? r->attr->name : "events";
	r->bbv->coverage = fmax(rec_coverage(rec), 0);
	r->bbv->repeated = -1;
	note_samples(r);
	return CMD_OK;
}

static int read_recording(struct phases_asked *asked, struct phases_bbv *bbv,
			  const char **unit)
{
	struct samples *samples = &asked->rec.samples;
	struct samples_read r = { .asked = asked, .bbv = bbv };
	int ret;

	if (asked->wanted.by_hart)
		return cmd_usage(asked->rec.cmd, "%s is a recording; --hart is for traces. Use --cpu",
				 asked->rec.path);
	if (cut_is_user(&asked->wanted))
		return cmd_usage(asked->rec.cmd, "%s is a recording; --user is for traces. Record user code with an event such as instructions:u",
				 asked->rec.path);
	ret = rec_begin_hot(&asked->rec, &r.hot);
	if (!ret) {
		samples->left_out = pass_sample;
		samples->left_out_arg = &r;
		ret = read_samples(&r, unit);
		samples->left_out = NULL;
	}
	free(r.places);
	hot_free(&r.hot);
	return ret;
}

int phases_read(struct phases_asked *asked, struct phases_bbv *bbv, const char **unit)
{
	struct stf_error err;
	struct stf_reader *reader = stf_reader_open(asked->rec.path, &asked->stf, &err);
	int ret;

	*unit = "instructions";
	if (reader) {
		trace_input_warn(asked->rec.path, reader, asked->rec.cmd);
		ret = read_trace(asked, bbv, reader);
		stf_reader_close(reader);
		return ret;
	}
	/* Without a file of its default name, the message is that of recordings. */
	if ((err.code == STF_E_NOT_STF || err.code == STF_E_IO) &&
	    strcmp(asked->rec.path, "-"))
		return read_recording(asked, bbv, unit);
	return cmd_error(asked->rec.cmd, "%s", err.text);
}
