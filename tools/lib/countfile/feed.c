// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/feed.h"
#include "base/xxh64.h"

#include <stdlib.h>

/* ----------------------------------------------------------------- factors */

static uint64_t mix(uint64_t v, uint64_t more)
{
	v = (v ^ more) * UINT64_C(0x9e3779b97f4a7c15);
	return v ^ v >> 32;
}

uint64_t cf_feed_seed(const struct cf_head *head)
{
	struct xxh64 x;

	xxh64_begin(&x);
	xxh64_add(&x, head->sources, head->nr_sources * sizeof(*head->sources));
	return xxh64_end(&x);
}

/* Returns v * num / den, rounded down. It is at most v or num. */
static uint64_t part(uint64_t v, uint64_t num, uint64_t den)
{
	return (uint64_t)((unsigned __int128)v * num / den);
}

/*
 * A fraction is rounded up as often as it is large, by a hash of the key. So the sums of
 * many small counts are right, and the result is the same each time. Returns -1 if the
 * result does not fit into 64 bits.
 */
static int scale(uint64_t *count, uint64_t factor, uint64_t hash)
{
	unsigned __int128 v = (unsigned __int128)*count * factor + (uint32_t)hash;

	*count = (uint64_t)(v >> 32);
	return v >> 32 > UINT64_MAX ? -1 : 0;
}

static uint64_t hash_step(const struct cf_step *s, uint64_t seed)
{
	uint64_t v = mix(seed, (uint64_t)s->from_binary << 32 | s->to_binary);

	v = mix(mix(v, s->from), s->to);
	v = mix(v, (uint32_t)s->line);
	return mix(v, (uint64_t)s->type << 2 | s->mispredicted << 1 | s->youngest);
}

/* The other counts stay in proportion to the transfers. */
static int scale_step(const struct cf_feed *feed, struct cf_step *s)
{
	uint64_t was = s->seen;

	if (scale(&s->seen, feed->factor, hash_step(s, feed->seed)))
		return -1;
	if (s->seen > was && (s->weight > UINT64_MAX / s->seen * was ||
			      s->cycles > UINT64_MAX / s->seen * was))
		return -1;
	s->weight = part(s->weight, s->seen, was);
	s->timed = part(s->timed, s->seen, was);
	s->cycles = s->timed ? part(s->cycles, s->seen, was) : 0;
	return 0;
}

static int too_large(const struct cf_feed *feed, struct error *error)
{
	return error_set(error, ERROR_INPUT,
			 "%s: a count times its factor does not fit into 64 bits",
			 feed->name);
}

/* ------------------------------------------------------------------- items */

static int next_step(struct cf_feed *feed, struct error *error)
{
	struct cf_step *s = &feed->step;
	int ret = feed->reader ? cf_read_step(feed->reader, s, error) :
				 cf_in_step(&feed->in, s, error);

	if (ret > 0 && feed->map) {
		s->from_binary = feed->map[s->from_binary];
		s->to_binary = feed->map[s->to_binary];
	}
	return ret;
}

int cf_feed_step(struct cf_feed *feed, struct error *error)
{
	struct cf_step *s = &feed->step;
	int ret;

	while ((ret = next_step(feed, error)) > 0) {
		if (feed->factor != CF_FACTOR_ONE && scale_step(feed, s))
			return too_large(feed, error);
		if (!s->seen)
			continue;
		feed->remains = true;
		if (!feed->wanted || feed->wanted[s->from_binary] ||
		    feed->wanted[s->to_binary])
			break;
		cf_leave_out(&feed->left_out, s->seen, s->weight);
	}
	return ret;
}

static int next_sample(struct cf_feed *feed, struct error *error)
{
	struct cf_sample *s = &feed->sample;
	int ret = feed->reader ? cf_read_sample(feed->reader, s, error) :
				 cf_in_sample(&feed->in, s, error);

	if (ret > 0 && feed->map)
		s->binary = feed->map[s->binary];
	return ret;
}

int cf_feed_sample(struct cf_feed *feed, struct error *error)
{
	struct cf_sample *s = &feed->sample;
	int ret;

	while ((ret = next_sample(feed, error)) > 0) {
		if (feed->factor != CF_FACTOR_ONE &&
		    scale(&s->count, feed->factor,
			  mix(mix(feed->seed, s->binary), s->offset)))
			return too_large(feed, error);
		if (s->count && (!feed->wanted || feed->wanted[s->binary]))
			break;
	}
	return ret;
}

void cf_feed_end(struct cf_feed *feed)
{
	cf_reader_close(feed->reader);
	cf_in_free(&feed->in);
	free(feed->map);
	feed->reader = NULL;
	feed->map = NULL;
}
