// SPDX-License-Identifier: GPL-2.0-only
#include "phases/bbv.h"
#include "base/array.h"
#include "base/random.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_key(const struct phases_key *a, const struct phases_key *b)
{
	return a->start == b->start && a->size == b->size && a->pid == b->pid;
}

/* Returns the number of a block from 0 on, which may be new, or -1 if out of memory. */
static int64_t find_block(struct phases_bbv *bbv, const struct phases_key *key)
{
	const uint32_t hash = hash_u64(key->start ^ (uint64_t)key->pid << 40 ^
				       (uint64_t)key->size << 20);
	struct hash_slot *slot;

	if (!hash_room(&bbv->by_key) ||
	    !array_room(&bbv->blocks, bbv->nr_blocks, &bbv->cap_blocks,
			sizeof(*bbv->blocks)))
		return -1;
	hash_for_each(&bbv->by_key, slot, hash)
		if (same_key(&bbv->blocks[slot->number - 1].key, key))
			return slot->number - 1;
	hash_put(&bbv->by_key, slot, hash, (uint32_t)bbv->nr_blocks);
	bbv->blocks[bbv->nr_blocks] = (struct phases_block){ .key = *key };
	return (int64_t)bbv->nr_blocks++;
}

bool phases_bbv_count(struct phases_bbv *bbv, const struct phases_key *key,
		      double amount)
{
	int64_t number = find_block(bbv, key);

	if (number < 0 || !array_room(&bbv->ran, bbv->nr_ran, &bbv->cap_ran,
				      sizeof(*bbv->ran)))
		return false;
	if (!bbv->blocks[number].amount)
		bbv->ran[bbv->nr_ran++] = (uint32_t)number;
	bbv->blocks[number].amount += amount;
	bbv->sum += amount;
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

/* Add the share of a block to the point of the interval. */
static void project(const struct phases_bbv *bbv, double *point, uint32_t number,
		    double share)
{
	uint64_t state = random_mix(bbv->seed) ^ number;
	unsigned int i;

	for (i = 0; i < bbv->dims; i++)
		point[i] += share * (2 * random_unit(random_next(&state)) - 1);
}

/* A vector of samples is scaled to the length of its interval. */
static void write_vector(const struct phases_bbv *bbv)
{
	const double scale = (double)bbv->now.length / bbv->sum;
	uint64_t count;
	size_t i;

	fputc('T', bbv->bb);
	for (i = 0; i < bbv->nr_ran; i++) {
		count = (uint64_t)llround(bbv->blocks[bbv->ran[i]].amount * scale);
		if (count)
			fprintf(bbv->bb, ":%" PRIu32 ":%" PRIu64 " ",
				bbv->ran[i] + 1, count);
	}
	fputc('\n', bbv->bb);
}

static bool make_room(struct phases_bbv *bbv)
{
	size_t cap = bbv->cap_points;

	while (cap < (bbv->nr + 1) * bbv->dims)
		if (!array_grow(&bbv->points, &cap, sizeof(*bbv->points)))
			return false;
	bbv->cap_points = cap;
	return array_room(&bbv->v, bbv->nr, &bbv->cap, sizeof(*bbv->v));
}

/* The amounts of the blocks become a point, and are 0 again. */
static void take_point(struct phases_bbv *bbv)
{
	double *point = &bbv->points[bbv->nr * bbv->dims];
	size_t i;

	memset(point, 0, bbv->dims * sizeof(*point));
	for (i = 0; i < bbv->nr_ran; i++) {
		struct phases_block *block = &bbv->blocks[bbv->ran[i]];

		project(bbv, point, bbv->ran[i], block->amount / bbv->sum);
		block->amount = 0;
	}
	bbv->v[bbv->nr++] = bbv->now;
	bbv->nr_ran = 0;
	bbv->sum = 0;
}

int phases_bbv_end_interval(struct phases_bbv *bbv, struct error *error)
{
	uint64_t end = bbv->now.start + bbv->now.length;

	if (!bbv->nr_ran)
		return 0;
	if (bbv->nr == WINDOWS_MAX_INTERVALS)
		return error_set(error, ERROR_INPUT,
				 "there are more than %d intervals of %" PRIu64
				 "; use longer ones", WINDOWS_MAX_INTERVALS, bbv->size);
	if (!make_room(bbv))
		return error_nomem(error);
	qsort(bbv->ran, bbv->nr_ran, sizeof(*bbv->ran), by_number);
	if (bbv->bb)
		write_vector(bbv);
	if (bbv->bb && ferror(bbv->bb))
		return error_set(error, ERROR_OUTPUT, "cannot write %s: %s",
				 bbv->bb_name, strerror(errno));
	take_point(bbv);
	bbv->now = (struct windows_interval){ .start = end };
	return 0;
}

void phases_bbv_free(struct phases_bbv *bbv)
{
	hash_free(&bbv->by_key);
	free(bbv->v);
	free(bbv->points);
	free(bbv->blocks);
	free(bbv->ran);
}
