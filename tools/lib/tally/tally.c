// SPDX-License-Identifier: GPL-2.0-only
#include "tally/internal.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* To be struct counts.find and code. */
static bool find(void *arg, uint32_t pid, uint64_t addr, struct count_map *map)
{
	struct tally *tally = arg;
	bool done = prof_places_find(&tally->places, pid, addr, map);

	/* How long lines are is also counted where nothing is mapped. */
	if (done && !map->size)
		map->offset = addr;
	return done;
}

static const uint8_t *code_at(void *arg, count_place place, uint64_t *len)
{
	struct tally *tally = arg;

	return prof_places_code(&tally->places, place, len);
}

/* With nothing counted. False: out of memory. */
static bool begin(struct tally *tally)
{
	tally->counts = (struct counts){ .find = find, .code = code_at, .arg = tally,
					 .weighed = true, .detailed = true, .both = true };
	tally->all_branches = true;
	if (!prof_places_init(&tally->places))
		return false;
	tally->places.img = img_new(tally->opts->symfs);
	tally->places.vmlinux = tally->opts->vmlinux;
	return tally->places.img &&
	       samples_add_places(tally->places.img, tally->opts);
}

void tally_clear(struct tally *tally)
{
	const struct samples_opts *opts = tally->opts;
	const size_t memory = tally->memory;
	size_t i;

	tally_close_parts(tally);
	count_free(&tally->counts);
	img_free(tally->places.img);
	prof_places_free(&tally->places);
	for (i = 0; i < tally->nr_events; i++)
		free(tally->events[i].name);
	free(tally->events);
	free(tally->ips);
	hash_free(&tally->by_ip);
	*tally = (struct tally){ .opts = opts, .memory = memory };
}

void tally_limit(struct tally *tally, size_t memory)
{
	tally->memory = memory;
}

int tally_new(struct tally **tally, const struct samples_opts *opts,
	      struct error *error)
{
	*tally = malloc(sizeof(**tally));
	if (!*tally)
		return error_nomem(error);
	**tally = (struct tally){ .opts = opts };
	return 0;
}

void tally_free(struct tally *tally)
{
	if (tally)
		tally_clear(tally);
	free(tally);
}

/* Samples of a turn that stands for more than those before it make their weights less. */
void tally_by_events(struct tally *tally, double events)
{
	struct counts *counts = &tally->counts;
	const double factor = tally->each / events;
	size_t i;

	tally->each = events;
	if (factor == 1 || !counts->nr_steps)
		return;
	counts->weight = 0;
	for (i = 0; i < counts->nr_steps; i++) {
		counts->steps[i].count = tally_scaled(counts->steps[i].count, factor);
		counts->weight += counts->steps[i].count;
	}
}

void tally_was_part(struct tally *tally, double share)
{
	tally->part = share;
}

/* --- samples --- */

static bool count_ip(struct tally *tally, const struct pd_event *ev)
{
	const uint64_t ip = ev->sample.ip;
	struct hash_slot *slot;
	struct count_map map;
	count_place place;

	if (!prof_places_find(&tally->places, ev->pid, ip, &map))
		return false;
	place = ((map.offset + ip - map.start) & COUNT_OFFSET_MASK) |
		(uint64_t)map.number << COUNT_OFFSET_BITS;
	if (!hash_room(&tally->by_ip) ||
	    !array_room(&tally->ips, tally->nr_ips, &tally->cap_ips, sizeof(*tally->ips)))
		return false;
	hash_for_each(&tally->by_ip, slot, hash_u64(place))
		if (tally->ips[slot->number - 1].place == place) {
			tally->ips[slot->number - 1].count++;
			return true;
		}
	hash_put(&tally->by_ip, slot, hash_u64(place), tally->nr_ips);
	tally->ips[tally->nr_ips++] = (struct tally_ip){ place, 1 };
	return true;
}

static bool count_one(struct tally *tally, const struct pd_event *ev)
{
	if (!ev->sample.has_branches)
		return true;
	if (count_is_call_stack(ev)) {
		tally->call_stacks++;
		return true;
	}
	if (tally->depth < ev->sample.nr_branches)
		tally->depth = ev->sample.nr_branches;
	tally->counts.maps = prof_places_maps(&tally->places);
	return count_later(&tally->counts, ev) && count_ip(tally, ev);
}

/* --- events --- */

/* The event with this name. NULL: out of memory. */
static struct cf_event *event_named(struct tally *tally, const char *name)
{
	struct cf_event *event;
	size_t i;

	for (i = 0; i < tally->nr_events; i++)
		if (!strcmp(tally->events[i].name, name))
			return &tally->events[i];
	if (!array_room(&tally->events, tally->nr_events, &tally->cap_events,
			sizeof(*event)))
		return NULL;
	event = &tally->events[tally->nr_events];
	*event = (struct cf_event){ .name = strdup(name) };
	if (!event->name)
		return NULL;
	tally->nr_events++;
	return event;
}

/* What a recording tells of one of its events, when it was read. */
static bool add_event(struct tally *tally, const struct samples *s, unsigned int i)
{
	const struct coverage_part *all = samples_of_event(s, i);
	const char *name = pd_attr(s->pd, i)->name;
	struct cf_event *event;

	if (!samples_has_stacks(s, i))
		return true;
	event = event_named(tally, name ? name : "an event without a name");
	if (!event)
		return false;
	event->samples += all->samples;
	if (samples_coverage(s, i) < 0) {
		event->unknown += all->samples;
		return true;
	}
	event->covered += all->covered;
	event->count += samples_count(s, i);
	return true;
}

/* When the recording began, and its samples were taken. time: of the last sample. */
static void note_times(struct tally *tally, const struct samples *s, uint64_t time)
{
	uint64_t begin, end;

	if (!pd_wall_start(s->pd, &begin))
		return;
	if (!pd_wall_time(s->pd, time, &end) || end < begin)
		end = begin;
	if (!tally->begin || begin < tally->begin)
		tally->begin = begin;
	if (end > tally->end)
		tally->end = end;
}

int tally_add(struct tally *tally, struct samples *samples, struct error *error)
{
	uint64_t time = PD_NO_TIME; /* of the last sample */
	struct pd_event ev;
	unsigned int i;
	int ret;

	if (!tally->places.img && !begin(tally)) {
		tally_clear(tally);
		return error_nomem(error);
	}
	prof_places_begin(&tally->places, samples->space);
	tally->all_branches &= samples_have_all_branches(samples);
	while ((ret = samples_next(samples, &ev, error)) > 0) {
		if (!count_one(tally, &ev))
			return error_nomem(error);
		time = ev.time;
		if (!tally_is_full(tally))
			continue;
		if (!count_flush(&tally->counts))
			return error_nomem(error);
		/* Weighed now, they would have other weights than with more memory. */
		ret = count_has_early(&tally->counts) ? 0 : tally_spill(tally, error);
		if (ret)
			return ret;
	}
	if (!count_settle(&tally->counts))
		return error_nomem(error);
	if (!ret && tally->call_stacks && !tally_samples(tally))
		return error_set(error, ERROR_INPUT, "%s: " SAMPLES_CALL_STACKS, samples->path);
	note_times(tally, samples, time);
	tally->lost += samples_lost(samples);
	for (i = 0; !ret && i < pd_nr_attrs(samples->pd); i++)
		if (!add_event(tally, samples, i))
			return error_nomem(error);
	return ret;
}

uint64_t tally_call_stacks(const struct tally *tally)
{
	return tally->call_stacks;
}

void tally_dropped(struct tally *tally, uint64_t samples)
{
	tally->dropped += samples;
}

/* --- what is known --- */

void tally_times(const struct tally *tally, uint64_t *begin, uint64_t *end)
{
	enum { SECOND = 1000000000 };

	*begin = tally->begin / SECOND;
	*end = tally->end / SECOND;
}

void tally_write_files(const struct tally *tally, FILE *file)
{
	if (tally->places.img)
		samples_write_files(tally->places.img, file);
}

uint64_t tally_samples(const struct tally *tally)
{
	return tally->spilled + tally->counts.samples;
}

size_t tally_bytes(const struct tally *tally)
{
	const struct counts *c = &tally->counts;

	return c->cap_steps * sizeof(*c->steps) + c->cap_details * sizeof(*c->details) +
	       (c->slots ? ((size_t)c->slots_mask + 1) * sizeof(*c->slots) : 0) +
	       weigh_bytes(&c->weigh) +
	       tally->cap_ips * sizeof(*tally->ips) +
	       (tally->by_ip.slots ? (tally->by_ip.mask + 1) * sizeof(*tally->by_ip.slots) : 0);
}
