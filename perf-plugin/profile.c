// SPDX-License-Identifier: GPL-2.0-only
/* ssctr-profile.so: what perf script shows → profiles for compilers and BOLT. */
#include "plugin.h"
#include "profile/options.h"
#include "tally/note.h"

#include <stdio.h>
#include <stdlib.h>

struct profile {
	struct prof_opts opts;
	struct prof_job *job;
	struct error *error;
};

static const struct opt options[] = { SAMPLES_OPTS, SAMPLES_PARTIAL_OPT, PLUGIN_OPTS, PROF_OPTS, { 0 } };

static void *profile_start(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (p)
		p->opts = (struct prof_opts)PROF_OPTS_INIT;
	return p;
}

static int profile_option(void *job, int id, const char *arg,
			  struct error *error)
{
	struct profile *p = job;

	return prof_option(&p->opts, id, arg, error);
}

static int profile_open(void *job, struct samples *samples,
			struct error *error)
{
	struct profile *p = job;
	int ret = prof_check_opts(&p->opts, error);

	if (ret)
		return ret;
	p->error = error;
	p->opts.samples = samples->opts;
	p->opts.input = samples->path;
	p->job = prof_job_open(&p->opts, error);
	if (!p->job)
		return ERROR_INPUT;
	prof_job_begin(p->job, samples);
	return 0;
}

static int profile_sample(void *job, const struct pd_event *ev,
			  const char *comm)
{
	struct profile *p = job;

	(void)comm;
	return prof_job_sample(p->job, ev);
}

/* What the command says of a recording or counts file before it takes the next. */
static int merge_recording(struct profile *p, const char *path)
{
	struct notes notes = { 0 };
	struct samples samples;
	int ret = samples_open(&samples, path, p->opts.samples, p->error);

	if (!ret)
		ret = prof_job_add(p->job, &samples);
	if (!ret) {
		samples_note_coverage(&samples, &notes);
		samples_write_notes(&samples, &notes, stderr);
	}
	notes_free(&notes);
	samples_close(&samples);
	return ret;
}

static int merge_counts(struct profile *p, const char *path)
{
	struct notes notes = { 0 };
	struct cf_reader *reader;
	int ret = cf_reader_open(&reader, path, p->error);

	if (!ret)
		ret = prof_job_add_counts(p->job, reader, path);
	if (!ret) {
		tally_note_head(cf_reader_head(reader), &notes);
		notes_write(&notes, stderr);
	}
	notes_free(&notes);
	cf_reader_close(reader);
	return ret;
}

/* The other recordings, of which perf knows nothing, and then the counts files. */
static int merge(struct profile *p)
{
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < p->opts.nr_merge; i++)
		if (!cf_is_countfile(p->opts.merge[i]))
			ret = merge_recording(p, p->opts.merge[i]);
	for (i = 0; !ret && i < p->opts.nr_merge; i++)
		if (cf_is_countfile(p->opts.merge[i]))
			ret = merge_counts(p, p->opts.merge[i]);
	return ret;
}

static int profile_close(void *job, struct notes *notes)
{
	struct profile *p = job;
	int ret;

	ret = prof_job_end(p->job);
	if (!ret)
		ret = merge(p);
	if (!ret)
		ret = prof_job_close(p->job);
	if (!ret && prof_job_taken_by_name(p->job))
		fprintf(stderr,
			"ssctr profile: %s: used because of its name; no build id tells whether it is the file that ran\n",
			prof_job_taken_by_name(p->job));
	if (!ret)
		prof_job_note(p->job, notes);
	return ret;
}

static void profile_free(void *job)
{
	struct profile *p = job;

	prof_job_free(p->job);
	prof_opts_free(&p->opts);
	free(p);
}

const struct plugin plugin = {
	.name = "profile",
	.description = "Profiles for clang, GCC and BOLT from branch stacks",
	.longer =
		"perf script --dlfilter ssctr-profile.so --dlarg -b --dlarg PROGRAM\n"
		"        --dlarg -o --dlarg FILE\n"
		"The options are those of `ssctr profile`. Write --dlarg before each word of them.",
	.opts = options,
	.start = profile_start,
	.option = profile_option,
	.open = profile_open,
	.sample = profile_sample,
	.close = profile_close,
	.free = profile_free,
};
