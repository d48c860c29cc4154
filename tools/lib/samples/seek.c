// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that another reader of the recording has read. Of those of one time, it may read
 * the files of a folder in another order than pd_next() delivers. So all samples of one time
 * wait until one of another time is found.
 */
#include "base/array.h"
#include "samples/samples.h"

#include <linux/perf_event.h>
#include <stdlib.h>

static bool is_of(const struct samples_key *key, const struct pd_event *ev)
{
	const bool has_id = ev->attr->sample_type &
			    (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);

	return key->time == ev->time && key->ip == ev->sample.ip &&
	       key->tid == ev->tid && key->cpu == ev->cpu &&
	       (!has_id || key->id == ev->sample.id);
}

/* Without times, the order is the file's. */
static bool is_of_its_time(const struct samples_key *key, const struct pd_event *ev)
{
	return key->time == ev->time && key->time != PD_NO_TIME;
}

/* The first nr samples are not asked for any more. */
static void pass(struct samples *s, size_t nr)
{
	struct samples_seek *seek = &s->seek;
	size_t i;

	if (!nr)
		return;
	for (i = 0; i < nr; i++) {
		pd_release(s->pd, seek->v[i].held);
		s->passed_by += !seek->v[i].found;
		s->filtered += !seek->v[i].found;
	}
	seek->nr -= nr;
	memmove(seek->v, seek->v + nr, seek->nr * sizeof(*seek->v));
}

void samples_end_seek(struct samples *s)
{
	pass(s, s->seek.nr);
	free(s->seek.v);
	s->seek = (struct samples_seek){ 0 };
}

/* One more sample. Returns as samples_read_any(). */
static int read_one(struct samples *s, struct error *error)
{
	struct samples_seek *seek = &s->seek;
	struct samples_sought *next;
	int ret;

	if (!array_room(&seek->v, seek->nr, &seek->cap, sizeof(*seek->v)))
		return error_nomem(error);
	next = &seek->v[seek->nr];
	ret = samples_read_any(s, &next->ev, error);
	if (ret <= 0)
		return ret;
	next->held = pd_hold(s->pd);
	next->found = false;
	seek->nr++;
	return 1;
}

/* Its place in s->seek goes to *at. Returns 1, 0 if it was found before, or ERROR_*. */
static int find(struct samples *s, const struct samples_key *key, size_t *at,
		struct error *error)
{
	bool before = false;
	size_t i = 0;

	for (;;) {
		const struct samples_sought *read = &s->seek.v[i];

		if (i == s->seek.nr) {
			int ret = read_one(s, error);

			if (ret <= 0)
				return before && !ret ? 0 : ret ?: error_set(
					error, ERROR_INPUT,
					"%s: perf script shows samples that are not in it, or in another order",
					s->path);
		} else if (is_of(key, &read->ev) && !read->found) {
			*at = i;
			return 1;
		} else if (is_of(key, &read->ev) || is_of_its_time(key, &read->ev)) {
			before |= is_of(key, &read->ev);
			i++;
		} else if (before) {
			return 0;
		} else {
			pass(s, i + 1);
			i = 0;
		}
	}
}

int samples_find(struct samples *s, const struct samples_key *key,
		 struct pd_event *ev, struct error *error)
{
	size_t at = 0;
	const int ret = find(s, key, &at, error);

	if (ret <= 0)
		return ret;
	s->seek.v[at].found = true;
	*ev = s->seek.v[at].ev;
	return samples_take(s, ev, error);
}

int samples_skip(struct samples *s, struct error *error)
{
	int ret;

	do {
		pass(s, s->seek.nr);
		ret = read_one(s, error);
	} while (ret > 0);
	return ret;
}
