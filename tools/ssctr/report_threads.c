// SPDX-License-Identifier: GPL-2.0-only
#include "report_threads.h"
#include "base/array.h"
#include "base/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Each has tables of its own, so that more of them would make a large page. */
enum { MOST = 10 };

/* --- which threads there are --- */

/* NULL: out of memory. */
static struct report_thread *thread_of(struct report_threads *threads, const char *name,
				       uint32_t tid)
{
	const uint32_t hash = hash_bytes(tid, name, strlen(name));
	struct report_thread *thread;
	struct hash_slot *slot;

	if (!hash_room(&threads->index) ||
	    !array_room(&threads->v, threads->nr, &threads->cap, sizeof(*threads->v)))
		return NULL;
	hash_for_each(&threads->index, slot, hash) {
		thread = &threads->v[slot->number - 1];
		if (thread->tid == tid && !strcmp(thread->name, name))
			return thread;
	}
	hash_put(&threads->index, slot, hash, threads->nr);
	thread = &threads->v[threads->nr++];
	*thread = (struct report_thread){ .tid = tid, .nr = 1 };
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	return thread;
}

bool report_threads_count(struct report_threads *threads, const struct samples *samples,
			  const struct pd_event *ev)
{
	struct report_thread *thread;

	if (!ev->sample.nr_branches)
		return true;
	thread = thread_of(threads, comms_name(&samples->comms, ev->tid), ev->tid);
	if (!thread)
		return false;
	thread->samples++;
	/* A damaged recording may have any period. */
	thread->events = saturate_plus(thread->events, pd_period(ev) ?: 1);
	return true;
}

static int by_name(const void *va, const void *vb)
{
	const struct report_thread *a = va, *b = vb;

	return strcmp(a->name, b->name) ?: a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* A name comes before each of its threads, as it has more samples, or as many. */
static int most_first(const void *va, const void *vb)
{
	const struct report_thread *a = va, *b = vb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	if (a->nr != b->nr)
		return a->nr > b->nr ? -1 : 1;
	return by_name(a, b);
}

/* All threads of a name, if they are several, and not all that there are. */
static bool add_names(struct report_threads *threads)
{
	const size_t nr = threads->nr;
	size_t i, k;

	qsort(threads->v, nr, sizeof(*threads->v), by_name);
	for (i = 0; i < nr; i = k) {
		struct report_thread all = threads->v[i];

		for (k = i + 1; k < nr && !strcmp(threads->v[k].name, all.name); k++) {
			all.samples += threads->v[k].samples;
			all.events = saturate_plus(all.events, threads->v[k].events);
			all.nr++;
		}
		if (all.nr == 1 || all.nr == nr || !*all.name)
			continue;
		if (!array_room(&threads->v, threads->nr, &threads->cap, sizeof(all)))
			return false;
		threads->v[threads->nr++] = all;
	}
	qsort(threads->v, threads->nr, sizeof(*threads->v), most_first);
	return true;
}

void report_thread_label(const struct report_thread *thread, char label[64])
{
	if (thread->nr > 1)
		snprintf(label, 64, "%s (%" PRIu32 " threads)", thread->name, thread->nr);
	else if (*thread->name)
		snprintf(label, 64, "%s (tid %" PRIu32 ")", thread->name, thread->tid);
	else
		snprintf(label, 64, "tid %" PRIu32, thread->tid);
}

/* --- what they ran --- */

static bool is_of(const struct report_thread *thread, const char *name, uint32_t tid)
{
	return (thread->nr > 1 || thread->tid == tid) && !strcmp(thread->name, name);
}

static bool count_sample_of(struct report_threads *threads, const struct pd_event *ev)
{
	const char *name = comms_name(&threads->rec.samples.comms, ev->tid);
	size_t i;

	for (i = 0; i < threads->shown; i++) {
		struct report_thread *thread = &threads->v[i];

		if (is_of(thread, name, ev->tid) &&
		    (!hot_count(&thread->hot, ev) || !calls_count(&thread->calls, ev)))
			return false;
	}
	return true;
}

static bool find_thread(struct report_thread *thread, bool demangle)
{
	if (!hot_find(&thread->hot) || !calls_name(&thread->calls, demangle) ||
	    !flame_make(&thread->flame, &thread->calls))
		return false;
	if (demangle)
		hot_demangle(&thread->hot);
	return true;
}

static int read_again(struct report_threads *threads, const struct hot *hot)
{
	struct rec *rec = &threads->rec;
	struct error error;
	struct pd_event ev;
	size_t i;
	int ret;

	ret = rec_open(rec);
	if (ret)
		return ret;
	rec->samples.comms.named = true;
	threads->shown = threads->nr < MOST ? threads->nr : MOST;
	for (i = 0; i < threads->shown; i++) {
		hot_begin(&threads->v[i].hot, rec->samples.code, hot->how);
		calls_begin(&threads->v[i].calls, rec->samples.code);
	}
	while ((ret = rec_next(rec, &ev, &error)) > 0)
		if (!count_sample_of(threads, &ev))
			return cmd_error(rec->cmd, "out of memory");
	if (ret < 0)
		return rec_error(rec, &error);
	for (i = 0; i < threads->shown; i++)
		if (!find_thread(&threads->v[i], !rec->how.mangled))
			return cmd_error(rec->cmd, "out of memory");
	return CMD_OK;
}

int report_threads_find(struct report_threads *threads, const struct rec *rec,
			const struct hot *hot)
{
	hash_free(&threads->index);
	if (threads->nr < 2)
		return CMD_OK;
	if (!add_names(threads))
		return cmd_error(rec->cmd, "out of memory");
	/* Of a pipe, there is no size. */
	threads->unread = !pd_size(rec->samples.pd);
	if (threads->unread)
		return CMD_OK;
	threads->rec = *rec;
	threads->rec.samples = (struct samples){ 0 };
	return read_again(threads, hot);
}

void report_threads_free(struct report_threads *threads)
{
	size_t i;

	for (i = 0; i < threads->shown; i++) {
		flame_free(&threads->v[i].flame);
		calls_free(&threads->v[i].calls);
		hot_free(&threads->v[i].hot);
	}
	free(threads->v);
	hash_free(&threads->index);
	/* The options are those of the recording that was read before. */
	if (threads->rec.cmd)
		rec_end(&threads->rec);
	*threads = (struct report_threads){ 0 };
}
