// SPDX-License-Identifier: GPL-2.0-only
/* What perf calls: each sample that it shows is found in the recording. */
#include "plugin.h"
#include "dlfilter.h"
#include "input.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILED = 1, BAD_WORDS = 2, PARTIAL = 3 }; /* exit statuses */

struct state {
	char *path;
	char **words;
	struct samples_opts opts;
	struct samples samples;
	struct error error;
	void *job;
	bool begun; /* all is open; otherwise there is nothing to end */
	uint64_t seen; /* samples, before perf's filters, and copies of them */
	uint64_t latest; /* the time of the latest one */
	int status; /* what perf is to end with; 0: all is well */
};

struct perf_dlfilter_fns perf_dlfilter_fns;

static int say(struct state *s, int status)
{
	fprintf(stderr, "ssctr %s: %s%s\n", plugin.name, s->error.text,
		status == BAD_WORDS ? "; see `--dlarg --help`" : "");
	s->status = status;
	return -1;
}

static void free_state(struct state *s)
{
	if (s->job)
		plugin.free(s->job);
	samples_close(&s->samples);
	samples_opts_free(&s->opts);
	free(s->words);
	free(s->path);
	free(s);
}

/* --- the start --- */

/* The words of --dlarg, behind the plug-in's name. Returns their number, or -1. */
static int take_words(struct state *s, void *ctx)
{
	int nr = 0;
	char **words = perf_dlfilter_fns.args(ctx, &nr);

	s->words = calloc(nr + 2, sizeof(*s->words));
	if (!s->words)
		return -1;
	s->words[0] = (char *)plugin.name;
	if (nr)
		memcpy(s->words + 1, words, nr * sizeof(*words));
	return nr + 1;
}

static int take_option(struct state *s, int id, const char *arg)
{
	if (samples_has_option(id))
		return samples_option(&s->opts, id, arg, &s->error);
	if (id == PLUGIN_OPT_INPUT)
		return error_set(&s->error, ERROR_USAGE,
				 "-i %s: perf script reads the recording; leave out -i", arg);
	return plugin.option(s->job, id, arg, &s->error);
}

static int take_options(struct state *s, int nr_words)
{
	struct opts opts;
	int id, ret = 0;

	opts_init(&opts, plugin.opts, nr_words, s->words);
	while (!ret && (id = opts_next(&opts, &s->error)) >= 0)
		ret = take_option(s, id, opts.arg);
	if (ret == ERROR_NOMEM)
		return say(s, FAILED);
	if (ret || id == OPTS_BAD)
		return say(s, BAD_WORDS);
	if (id == OPTS_HELP) {
		printf("%s\n\n", plugin.longer);
		opts_print(&opts, stdout);
		return -1;
	}
	if (!opts.argc)
		return 0;
	error_set(&s->error, ERROR_USAGE, "%s: no such option", opts.argv[0]);
	return say(s, BAD_WORDS);
}

static int begin(struct state *s, void *ctx)
{
	int ret, nr = take_words(s, ctx);
	bool is_gone;

	s->job = plugin.start();
	if (nr < 0 || !s->job) {
		error_nomem(&s->error);
		return say(s, FAILED);
	}
	s->path = input_find(&is_gone);
	if (is_gone) {
		error_set(&s->error, ERROR_INPUT,
			  "%s: this recording was removed or replaced after perf script had opened it; begin again",
			  s->path);
		return say(s, FAILED);
	}
	if (!s->path) {
		error_set(&s->error, ERROR_INPUT,
			  "perf script reads a pipe, and a plug-in learns too little about it; write the recording to a file");
		return say(s, FAILED);
	}
	if (take_options(s, nr))
		return -1;
	ret = samples_open(&s->samples, s->path, &s->opts, &s->error);
	if (!ret)
		ret = plugin.open(s->job, &s->samples, &s->error);
	s->begun = !ret;
	if (!ret)
		return 0;
	return say(s, ret == ERROR_USAGE ? BAD_WORDS : FAILED);
}

int start(void **data, void *ctx)
{
	struct state *s = calloc(1, sizeof(*s));

	*data = NULL;
	if (!s)
		return -1;
	s->opts = (struct samples_opts)SAMPLES_OPTS_INIT;
	*data = s;
	return begin(s, ctx);
}

/* --- the samples --- */

/* Of a virtual machine: pd_next() leaves it out. */
static bool is_guest(const struct perf_dlfilter_sample *sample)
{
	return sample->size >= offsetof(struct perf_dlfilter_sample, cpumode) + 1 &&
	       (sample->cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
		sample->cpumode == PERF_RECORD_MISC_GUEST_USER);
}

int filter_event_early(void *data, const struct perf_dlfilter_sample *sample,
		       void *ctx)
{
	struct state *s = data;

	(void)ctx;
	if (is_guest(sample))
		return 1;
	s->seen++;
	if (sample->time > s->latest)
		s->latest = sample->time;
	return 0;
}

static const char *comm_of(void *ctx)
{
	const struct perf_dlfilter_al *al =
		plugin.wants_comm ? perf_dlfilter_fns.resolve_ip(ctx) : NULL;

	if (al && al->size >= offsetof(struct perf_dlfilter_al, comm) +
				      sizeof(al->comm) && al->comm)
		return al->comm;
	return "";
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample,
		 void *ctx)
{
	const struct samples_key key = {
		.time = sample->time,
		.ip = sample->ip,
		.id = sample->id,
		.tid = sample->tid,
		.cpu = sample->cpu,
	};
	struct state *s = data;
	struct pd_event ev;
	int ret;

	if (s->status)
		return -1;
	ret = samples_find(&s->samples, &key, &ev, &s->error);
	if (ret > 0)
		ret = plugin.sample(s->job, &ev, comm_of(ctx));
	return ret < 0 ? say(s, FAILED) : 1;
}

/* --- the end --- */

/* Copies make perf's number larger. Then the time tells that the last samples are missing. */
static bool stopped_early(const struct state *s)
{
	return s->seen < pd_stats(s->samples.pd)->samples ||
	       s->latest < s->samples.latest;
}

static int finish(struct state *s, struct notes *notes)
{
	int ret = samples_skip(&s->samples, &s->error);

	if (ret)
		return ret;
	if (stopped_early(s))
		return error_set(&s->error, ERROR_INPUT,
				 "%s: perf script stopped before its end",
				 s->path);
	return plugin.close(s->job, notes);
}

static void end(struct state *s)
{
	struct notes notes = { 0 };
	const int ret = finish(s, &notes);

	if (ret) {
		say(s, ret == ERROR_PARTIAL ? PARTIAL : FAILED);
	} else {
		samples_note_coverage(&s->samples, &notes);
		samples_write_notes(&s->samples, &notes, stderr);
	}
	notes_free(&notes);
}

int stop(void *data, void *ctx)
{
	struct state *s = data;
	bool begun;
	int status;

	(void)ctx;
	if (!s)
		return 0;
	if (s->begun && !s->status)
		end(s);
	begun = s->begun;
	status = s->status;
	free_state(s);
	/* perf would say that all is well, or, after --help, that it is not. */
	if (status || !begun)
		exit(status);
	return 0;
}

const char *filter_description(const char **longer)
{
	if (longer)
		*longer = plugin.longer;
	return plugin.description;
}
