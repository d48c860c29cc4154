// SPDX-License-Identifier: GPL-2.0-only
#include "tally/recordings.h"
#include "base/tempfile.h"
#include "countfile/merge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the threads share. */
struct work {
	const struct tally_job *job;
	size_t memory; /* of each thread */
	pthread_mutex_t lock;
	size_t next; /* to be counted */
	size_t told; /* passed to counted() */
	uint64_t percents; /* the sum of all */
	int ret; /* an error that ends the work */
	struct error *error;
};

/* A recording that a thread is at. */
struct current {
	struct work *work;
	struct tally_recording *r;
	struct samples samples;
};

/* ------------------------------------------------------------ one recording */

static void note_progress(void *arg)
{
	struct current *c = arg;
	struct work *work = c->work;
	const uint64_t size = pd_size(c->samples.pd);
	unsigned int percent = size ? (unsigned int)(100 * pd_position(c->samples.pd) / size) : 0;

	pthread_mutex_lock(&work->lock);
	work->percents += percent - c->r->percent;
	c->r->percent = percent;
	work->job->progress(work->job->arg, (unsigned int)(work->percents / work->job->nr));
	pthread_mutex_unlock(&work->lock);
}

static int write_counts(struct tally *tally, struct tally_recording *r)
{
	struct cf_source source;
	char path[TEMPFILE_PATH];
	uint64_t begin, end;
	int ret = tally_source_of_file(r->path, &source, &r->error);

	if (ret)
		return ret;
	r->fd = tempfile_open();
	if (r->fd < 0)
		return tempfile_error(&r->error);
	tempfile_path(r->fd, path);
	tally_times(tally, &begin, &end);
	return tally_write(tally, path, &source, begin, end, 0, &r->error);
}

static void write_notes(const struct samples *samples, const struct tally *tally,
			struct tally_recording *r)
{
	struct notes notes = { 0 };
	size_t size;
	FILE *file = open_memstream(&r->notes, &size);

	if (!file)
		return;
	notes_count(&notes, tally_call_stacks(tally), SAMPLES_CALL_STACKS_LEFT_OUT);
	samples_note_events(samples, &notes);
	samples_note_coverage(samples, &notes);
	samples_write_notes(samples, &notes, file);
	tally_write_files(tally, file);
	fclose(file);
	notes_free(&notes);
}

static int count(struct current *c)
{
	struct tally_recording *r = c->r;
	struct tally *tally;
	int ret = tally_new(&tally, c->work->job->opts, &r->error);

	if (ret)
		return ret;
	tally_limit(tally, c->work->memory);
	ret = tally_add(tally, &c->samples, &r->error);
	if (!ret)
		ret = write_counts(tally, r);
	if (!ret)
		write_notes(&c->samples, tally, r);
	r->samples = tally_samples(tally);
	tally_free(tally);
	return ret;
}

/* A message about a file that the user has named otherwise. */
static void name_error(struct tally_recording *r)
{
	const size_t size = strlen(r->path);
	struct error as_it_is = r->error;

	if (!strncmp(as_it_is.text, r->path, size))
		error_set(&r->error, r->ret, "%s%s", r->name, as_it_is.text + size);
}

static void count_recording(struct work *work, struct tally_recording *r)
{
	struct current c = { .work = work, .r = r };

	r->ret = samples_open(&c.samples, r->path, work->job->opts, &r->error);
	c.samples.progress = work->job->progress ? note_progress : NULL;
	c.samples.progress_arg = &c;
	if (!r->ret)
		r->ret = count(&c);
	samples_close(&c.samples);
	if (r->ret)
		name_error(r);
	if (r->ret && r->fd >= 0) {
		close(r->fd);
		r->fd = -1;
	}
}

/* --------------------------------------------------------------------- all */

/* Only this recording cannot be used. */
static bool is_refused(const struct tally_recording *r)
{
	return r->ret == ERROR_INPUT;
}

/* Tell those that have ended, up to the first one that has not. */
static void tell(struct work *work)
{
	const struct tally_job *job = work->job;
	struct tally_recording *r;

	for (; work->told < job->nr && !work->ret; work->told++) {
		r = &job->recordings[work->told];
		if (!r->ended)
			break;
		if (r->ret && !is_refused(r)) {
			work->ret = r->ret;
			*work->error = r->error;
			break;
		}
		job->counted(job->arg, r);
	}
}

static void *count_recordings(void *arg)
{
	struct work *work = arg;
	const struct tally_job *job = work->job;
	struct tally_recording *r;

	pthread_mutex_lock(&work->lock);
	while (!work->ret && work->next < job->nr) {
		r = &job->recordings[work->next++];
		pthread_mutex_unlock(&work->lock);
		count_recording(work, r);
		pthread_mutex_lock(&work->lock);
		r->ended = true;
		/* Those before it may still run, and those after it need not begin. */
		if (r->ret && !is_refused(r))
			work->next = job->nr;
		tell(work);
	}
	pthread_mutex_unlock(&work->lock);
	return NULL;
}

/* Each needs enough memory for few temporary files. */
static unsigned int threads_of(const struct tally_job *job)
{
	size_t most = job->memory / CF_MERGE_MEMORY_MIN ?: 1;

	most = most < job->nr ? most : job->nr;
	return job->threads < most ? job->threads : (unsigned int)most;
}

static void drop_untold(const struct work *work)
{
	const struct tally_job *job = work->job;
	struct tally_recording *r;

	for (r = job->recordings + work->told; r < job->recordings + job->nr; r++) {
		if (r->fd >= 0)
			close(r->fd);
		free(r->notes);
		r->fd = -1;
		r->notes = NULL;
	}
}

int tally_recordings(const struct tally_job *job, struct error *error)
{
	const unsigned int want = threads_of(job);
	struct work work = { .job = job, .lock = PTHREAD_MUTEX_INITIALIZER, .error = error };
	pthread_t *threads;
	unsigned int nr = 0;
	size_t i;

	if (!job->nr)
		return 0;
	for (i = 0; i < job->nr; i++)
		job->recordings[i].fd = -1;
	work.memory = job->memory / want;
	threads = calloc(want, sizeof(*threads));
	/* This thread works, too. If no thread can be made, it works alone. */
	while (threads && nr < want - 1 &&
	       !pthread_create(&threads[nr], NULL, count_recordings, &work))
		nr++;
	count_recordings(&work);
	while (nr)
		pthread_join(threads[--nr], NULL);
	free(threads);
	drop_untold(&work);
	return work.ret;
}
