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
#include <string.h>

/* perf shows a sample with the counts of a group once for each event of the group. */
static bool is_of_event(uint64_t id, const struct pd_event *ev)
{
	const bool has_id = ev->attr->sample_type &
			    (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER);
	unsigned int i;
	uint64_t other;

	if (!has_id || id == ev->sample.id)
		return true;
	for (i = 0; pd_group_id(ev, i, &other); i++)
		if (id == other)
			return true;
	return false;
}

static bool is_of(const struct samples_key *key, const struct pd_event *ev)
{
	return key->time == ev->time && key->ip == ev->sample.ip &&
	       key->tid == ev->tid && key->cpu == ev->cpu && is_of_event(key->id, ev);
}

/* Without times, the order is the file's. */
static bool is_of_its_time(const struct samples_key *key, const struct pd_event *ev)
{
	return key->time == ev->time && key->time != PD_NO_TIME;
}

/* The samples before this one are not asked for any more. */
static void pass_to(struct samples *s, size_t to)
{
	struct samples_seek *seek = &s->seek;

	for (; seek->from < to; seek->from++) {
		const struct samples_sought *read = &seek->v[seek->from];

		pd_release(s->pd, read->held);
		s->passed_by += !read->found;
		s->filtered += !read->found;
	}
	if (seek->next < to)
		seek->next = to;
}

void samples_end_seek(struct samples *s)
{
	pass_to(s, s->seek.nr);
	free(s->seek.v);
	s->seek = (struct samples_seek){ 0 };
}

/* If at least half of them are passed by, moving the others costs no more than reading did. */
static bool make_room(struct samples_seek *seek)
{
	const size_t by = seek->from;

	if (seek->nr == seek->cap && by && by >= seek->nr - by) {
		memmove(seek->v, seek->v + by, (seek->nr - by) * sizeof(*seek->v));
		seek->from = 0;
		seek->next -= by;
		seek->nr -= by;
	}
	return array_room(&seek->v, seek->nr, &seek->cap, sizeof(*seek->v));
}

/* One more sample. Returns as samples_read_any(). */
static int read_one(struct samples *s, struct error *error)
{
	struct samples_seek *seek = &s->seek;
	struct samples_sought *next;
	int ret;

	if (!make_room(seek))
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

/* Returns 1, 0 if there is none and nothing follows, or ERROR_*. */
static int pass_other_times(struct samples *s, const struct samples_key *key,
			    struct error *error)
{
	struct samples_seek *seek = &s->seek;
	int ret = 1;

	for (;; pass_to(s, seek->from + 1)) {
		if (seek->from == seek->nr)
			ret = read_one(s, error);
		if (ret <= 0 || is_of(key, &seek->v[seek->from].ev) ||
		    is_of_its_time(key, &seek->v[seek->from].ev))
			return ret;
	}
}

/* Among those that were read, from one number to before another. Returns the end: none. */
static size_t look(const struct samples_seek *seek, const struct samples_key *key,
		   bool found, size_t from, size_t end)
{
	while (from < end && (seek->v[from].found != found || !is_of(key, &seek->v[from].ev)))
		from++;
	return from;
}

/*
 * Of the samples of the key's time, with which s->seek begins, find one that was not found
 * before. *at gets its number, or that of the first sample of another time. Returns 1, 0 if
 * there is none, or ERROR_*.
 */
static int find_in_time(struct samples *s, const struct samples_key *key, size_t *at,
			struct error *error)
{
	struct samples_seek *seek = &s->seek;
	size_t before, i;
	int ret;

	/* read_one() may move them, so i counts from the first. */
	for (i = seek->next - seek->from;; i++) {
		const struct samples_sought *read;

		ret = seek->from + i < seek->nr ? 1 : read_one(s, error);
		*at = seek->from + i;
		if (ret <= 0)
			break;
		read = &seek->v[*at];
		if (!read->found && is_of(key, &read->ev))
			return 1;
		if (!is_of(key, &read->ev) && !is_of_its_time(key, &read->ev))
			break;
	}
	if (ret < 0)
		return ret;
	before = look(seek, key, false, seek->from, seek->next);
	if (before == seek->next)
		return 0;
	*at = before;
	return 1;
}

/* Its number goes to *at. Returns 1, 0 if it was found before, or ERROR_*. */
static int find(struct samples *s, const struct samples_key *key, size_t *at,
		struct error *error)
{
	int ret;

	while ((ret = pass_other_times(s, key, error)) > 0) {
		ret = find_in_time(s, key, at, error);
		if (ret || look(&s->seek, key, true, s->seek.from, s->seek.nr) < s->seek.nr)
			return ret;
		pass_to(s, *at);
	}
	return ret ?: error_set(
		error, ERROR_INPUT,
		"%s: perf script shows samples that are not in it, or in another order",
		s->path);
}

int samples_find(struct samples *s, const struct samples_key *key,
		 struct pd_event *ev, struct error *error)
{
	size_t at = 0;
	const int ret = find(s, key, &at, error);

	if (ret <= 0)
		return ret;
	s->seek.v[at].found = true;
	s->seek.next = at + 1;
	*ev = s->seek.v[at].ev;
	return samples_take(s, ev, error);
}

int samples_skip(struct samples *s, struct error *error)
{
	int ret;

	do {
		pass_to(s, s->seek.nr);
		ret = read_one(s, error);
	} while (ret > 0);
	return ret;
}
