// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/reuse.h"
#include "tracestat/footprint.h"

#include <stdlib.h>
#include <string.h>

static uint32_t room(const struct tstat_reuse *r)
{
	return 2 * r->max;
}

static bool start(struct tstat_reuse *r)
{
	r->v = malloc(room(r) * sizeof(*r->v));
	r->owner = malloc(room(r) * sizeof(*r->owner));
	r->tree = calloc(room(r) + 1, sizeof(*r->tree));
	return r->v && r->owner && r->tree;
}

/* Add to the mark of a time. */
static void mark(struct tstat_reuse *r, uint32_t when, uint32_t value)
{
	uint32_t i;

	for (i = when + 1; i <= room(r); i += i & -i)
		r->tree[i] += value;
}

/* Marks up to a time, and at it. */
static uint32_t marks_upto(const struct tstat_reuse *r, uint32_t when)
{
	uint32_t i, sum = 0;

	for (i = when + 1; i; i -= i & -i)
		sum += r->tree[i];
	return sum;
}

static uint32_t hash_of(uint64_t number, uint32_t pid)
{
	return hash_u64(number ^ (uint64_t)pid << 40);
}

static struct tstat_line *find(struct tstat_reuse *r, uint64_t number, uint32_t pid,
			       struct hash_slot **slot)
{
	hash_for_each(&r->by_number, *slot, hash_of(number, pid)) {
		struct tstat_line *line = &r->v[(*slot)->number - 1];

		if (line->number == number && line->pid == pid)
			return line;
	}
	return NULL;
}

/* The lines from v on, in the order of their last use, are all that are known. */
static void restart(struct tstat_reuse *r, const struct tstat_line *v, uint32_t nr)
{
	struct hash_slot *slot;
	uint32_t i, low;

	memset(r->by_number.slots, 0,
	       (r->by_number.mask + 1) * sizeof(*r->by_number.slots));
	r->by_number.nr = 0;
	for (i = 0; i < nr; i++) {
		r->v[i] = v[i];
		r->v[i].when = r->owner[i] = i;
		find(r, v[i].number, v[i].pid, &slot);
		hash_put(&r->by_number, slot, hash_of(v[i].number, v[i].pid), i);
	}
	for (i = 1; i <= room(r); i++) {
		low = i - (i & -i);
		r->tree[i] = (i < nr ? i : nr) - (low < nr ? low : nr);
	}
	r->nr = r->now = nr;
	r->last = nr - 1;
}

/* The time is used up. False: out of memory. */
static bool renew(struct tstat_reuse *r)
{
	struct tstat_line *newest = malloc(r->max * sizeof(*newest));
	uint32_t skip = r->nr > r->max ? r->nr - r->max : 0, nr = 0, t;

	if (!newest)
		return false;
	r->forgot |= skip;
	for (t = 0; t < r->now; t++) {
		const struct tstat_line *line = &r->v[r->owner[t]];

		if (line->when != t)
			continue;
		if (skip)
			skip--;
		else
			newest[nr++] = *line;
	}
	restart(r, newest, nr);
	free(newest);
	return true;
}

static void count(struct tstat_reuse *r, uint32_t distance)
{
	if (distance >= r->max)
		r->far++;
	else
		r->bins[distance ? 32 - __builtin_clz(distance) : 0]++;
}

/* A line that is not the one that was used last. */
static bool use_other(struct tstat_reuse *r, uint32_t pid, uint64_t number)
{
	struct hash_slot *slot;
	struct tstat_line *line;

	if ((!r->v && !start(r)) || !hash_room(&r->by_number) ||
	    (r->now == room(r) && !renew(r)))
		return false;
	line = find(r, number, pid, &slot);
	if (line) {
		count(r, r->nr - marks_upto(r, line->when));
		mark(r, line->when, -1u);
	} else {
		r->first++;
		hash_put(&r->by_number, slot, hash_of(number, pid), r->nr);
		line = &r->v[r->nr++];
		*line = (struct tstat_line){ .number = number, .pid = pid };
	}
	mark(r, r->now, 1);
	line->when = r->now;
	r->last = (uint32_t)(line - r->v);
	r->owner[r->now++] = r->last;
	return true;
}

static bool use(struct tstat_reuse *r, uint32_t pid, uint64_t number)
{
	if (r->nr && r->v[r->last].number == number && r->v[r->last].pid == pid) {
		r->bins[0]++;
		return true;
	}
	return use_other(r, pid, number);
}

bool tstat_reuse_use(struct tstat_reuse *r, uint32_t pid, uint64_t address,
		     unsigned int size)
{
	uint64_t line = address >> TSTAT_LINE_SHIFT;
	const uint64_t last = (address + (size ? size - 1 : 0)) >> TSTAT_LINE_SHIFT;
	const uint64_t all = UINT64_MAX >> TSTAT_LINE_SHIFT;

	/* The few that end behind the last address go on at 0. */
	for (; line != last; line = (line + 1) & all)
		if (!use(r, pid, line))
			return false;
	return use(r, pid, line);
}

void tstat_reuse_free(struct tstat_reuse *r)
{
	hash_free(&r->by_number);
	free(r->v);
	free(r->owner);
	free(r->tree);
}
