// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places, as they are counted and as they are numbered afterwards. A number that is
 * counted in is that of a region: COUNT_OFFSET_MASK + 1 bytes of a file, of the code
 * that a perf map names, or of what is in neither.
 */
#include "base/array.h"
#include "hot/internal.h"

#include <stdlib.h>

/* The number of a place in a set. set->failed: out of memory. */
static uint32_t number_of(struct hot_set *set, struct path_place place)
{
	uint32_t hash = hash_u64(place.offset + (uintptr_t)place.dso +
				 (uintptr_t)place.perf_map);
	struct hash_slot *slot;

	set->failed |= !hash_room(&set->index) ||
		       !array_room(&set->v, set->nr, &set->cap, sizeof(place));
	if (set->failed)
		return 0;
	hash_for_each(&set->index, slot, hash) {
		const struct path_place *p = &set->v[slot->number - 1];

		if (p->offset == place.offset && p->dso == place.dso &&
		    p->perf_map == place.perf_map)
			return slot->number - 1;
	}
	hash_put(&set->index, slot, hash, set->nr);
	set->v[set->nr] = place;
	return set->nr++;
}

void hot_set_free(struct hot_set *set)
{
	free(set->v);
	hash_free(&set->index);
}

static bool find_region(void *arg, uint32_t pid, uint64_t addr,
			struct count_map *map)
{
	struct hot *hot = arg;
	struct path_place place;

	map->start = addr;
	place = path_code_stretch(hot->code, pid, addr, &map->start,
				  &map->size);
	map->offset = place.offset - (addr - map->start);
	place.offset &= ~COUNT_OFFSET_MASK;
	map->number = number_of(&hot->regions, place);
	return !hot->regions.failed && map->number <= COUNT_MAX_NUMBER;
}

static struct path_place place_of(const struct hot *hot, count_place counted)
{
	struct path_place place = hot->regions.v[count_number_of(counted)];

	place.offset += count_offset_of(counted);
	return place;
}

static const uint8_t *find_code(void *arg, count_place counted, uint64_t *len)
{
	struct hot *hot = arg;
	const struct path_place place = place_of(hot, counted);

	return path_code_bytes(hot->code, &place, len);
}

void hot_begin(struct hot *hot, struct path_code *code, unsigned int how)
{
	*hot = (struct hot){ .code = code, .how = how };
	path_code_show_names(code);
	hot->counts.find = find_region;
	hot->counts.arg = hot;
	hot->counts.detailed = true;
	/* What is added has its weights, and its lengths. */
	hot->counts.weighed = how & HOT_WEIGHED && !(how & HOT_SUMS);
	/* Shares are of instructions, also if each transfer counts once. */
	hot->counts.measured = how & HOT_ALL && !(how & HOT_SUMS);
	hot->counts.code = find_code;
	if (how & HOT_TRIPS_TOO && !(how & HOT_SUMS))
		hot->counts.stacks = &hot->stacks;
}

bool hot_count(struct hot *hot, const struct pd_event *ev)
{
	return count_later(&hot->counts, ev);
}

bool hot_settle(struct hot *hot)
{
	return count_settle(&hot->counts);
}

/* The reverse of place_of(). hot->regions.failed: out of memory. */
static count_place counted_place(struct hot *hot, struct path_place place)
{
	const uint64_t offset = place.offset & COUNT_OFFSET_MASK;

	place.offset &= ~COUNT_OFFSET_MASK;
	return (count_place)number_of(&hot->regions, place) << COUNT_OFFSET_BITS | offset;
}

bool hot_add(struct hot *hot, struct path_place from, struct path_place to,
	     const struct count_step *step, const struct count_detail *detail)
{
	struct count_step counted = *step;

	counted.from = counted_place(hot, from) | (step->from & COUNT_MISPREDICTED);
	counted.to = counted_place(hot, to);
	/* An end before the region would be in another one. */
	if (counted.line < 0 && (int64_t)count_offset_of(counted.to) < -(int64_t)counted.line)
		counted.line = COUNT_NO_LINE;
	return !hot->regions.failed && hot->regions.nr <= COUNT_MAX_NUMBER &&
	       count_add(&hot->counts, &counted, detail);
}

/*
 * Each line as a stack of its own: it tells how often the heads of loops ran, and how often
 * loops were entered and left. Weights are scaled to fit. False: out of memory.
 */
static bool make_stacks(struct hot *hot)
{
	const struct counts *counts = &hot->counts;
	uint64_t most = 0;
	uint32_t i, weight;
	size_t k;
	int shift;

	for (k = 0; k < counts->nr_steps; k++)
		if (counts->steps[k].count > most)
			most = counts->steps[k].count;
	shift = most > UINT32_MAX ? 32 - __builtin_clzll(most) : 0;
	for (i = 0; i < counts->nr_steps; i++) {
		weight = counts->steps[i].count >> shift;
		if (weight && !counts->details[i].youngest &&
		    (!count_stacks_add(&hot->stacks, &i, &weight, 1) ||
		     !count_stacks_end(&hot->stacks, 0)))
			return false;
	}
	return true;
}

/* --- numbers --- */

/* In the order of their coming, for now. */
static uint32_t take_place(const struct hot *hot, struct hot_set *set,
			   count_place counted)
{
	return number_of(set, place_of(hot, counted));
}

static void take_steps(struct hot *hot, struct hot_set *set)
{
	size_t i;

	for (i = 0; i < hot->nr_edges; i++) {
		const struct count_detail *d = &hot->counts.details[i];
		const struct count_step *s = &hot->counts.steps[i];
		const bool missed = s->from & COUNT_MISPREDICTED;

		hot->edges[i] = (struct hot_edge){
			.from = take_place(hot, set, s->from),
			.to = take_place(hot, set, s->to),
			.type = d->type,
			.count = s->count,
			.followed = d->youngest ? 0 : s->count,
			.followed_missed = missed && !d->youngest ? s->count : 0,
			.mispredicted = missed ? s->count : 0,
			.cycles = d->cycles,
			.timed = d->timed,
		};
		hot->steps[i] = (struct hot_step){ .end = HOT_NO_PLACE,
						   .length = s->length };
		if (s->line != COUNT_NO_LINE)
			hot->steps[i].end = take_place(
				hot, set, s->to + (uint64_t)(int64_t)s->line);
	}
}

int hot_by_address(const void *va, const void *vb)
{
	const struct hot_place *a = va, *b = vb;

	if (a->at.dso && b->at.dso)
		BY(at.dso->id);
	BY(at.dso);
	BY(at.perf_map);
	BY(at.offset);
	return 0;
}

/* Number the places by address. numbers: room for the new one of each place. */
static void sort_places(struct hot *hot, const struct hot_set *set,
			uint32_t *numbers)
{
	size_t i;

	hot->nr_places = set->nr;
	for (i = 0; i < set->nr; i++)
		hot->places[i] = (struct hot_place){ .at = set->v[i],
						     .function = i };
	qsort(hot->places, set->nr, sizeof(*hot->places), hot_by_address);
	for (i = 0; i < set->nr; i++)
		numbers[hot->places[i].function] = i;
	for (i = 0; i < hot->nr_edges; i++) {
		hot->edges[i].from = numbers[hot->edges[i].from];
		hot->edges[i].to = numbers[hot->edges[i].to];
		if (hot->steps[i].end != HOT_NO_PLACE)
			hot->steps[i].end = numbers[hot->steps[i].end];
	}
}

bool hot_take(struct hot *hot)
{
	struct hot_set set = { 0 };
	uint32_t *numbers = NULL;

	count_end(&hot->counts);
	if (hot->how & HOT_SUMS && hot->how & HOT_TRIPS_TOO && !make_stacks(hot))
		return false;
	hot->nr_edges = hot->nr_steps = hot->counts.nr_steps;
	hot->edges = malloc((hot->nr_edges + 1) * sizeof(*hot->edges));
	hot->steps = malloc((hot->nr_edges + 1) * sizeof(*hot->steps));
	if (hot->edges && hot->steps)
		take_steps(hot, &set);
	count_free(&hot->counts);
	if (set.nr && !set.failed) {
		/* One more ends the last one's edges. */
		hot->places = calloc(set.nr + 1, sizeof(*hot->places));
		numbers = malloc(set.nr * sizeof(*numbers));
	}
	if (hot->places && numbers)
		sort_places(hot, &set, numbers);
	free(numbers);
	hot_set_free(&set);
	return hot->nr_places;
}
