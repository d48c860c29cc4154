// SPDX-License-Identifier: GPL-2.0-only
#include "samples/coverage.h"
#include "base/array.h"

#include <stdlib.h>

/* An event for a thread or none, on one hart: a file of the recorder's. */
struct coverage_opened {
	uint64_t id;
	unsigned int event;
	uint32_t pid, tid; /* PD_NO_ID: of all that ran on the hart */
	uint32_t cpu;
	uint64_t count;
	uint64_t ended; /* of that, in threads that have ended */
	bool counted;
};

static uint32_t key_of(enum coverage_kind kind, unsigned int event,
		       uint32_t number)
{
	return hash_u64((uint64_t)number << 32 | (uint64_t)event << 2 | kind);
}

static bool is_part(const struct coverage_part *part, enum coverage_kind kind,
		    unsigned int event, uint32_t number)
{
	return part->kind == kind && part->event == event &&
	       part->number == number;
}

const struct coverage_part *coverage_find(const struct coverage *c,
					  enum coverage_kind kind,
					  unsigned int event, uint32_t number)
{
	struct hash_slot *slot;

	if (!c->nr_parts)
		return NULL;
	hash_for_each(&c->by_key, slot, key_of(kind, event, number))
		if (is_part(&c->parts[slot->number - 1], kind, event, number))
			return &c->parts[slot->number - 1];
	return NULL;
}

/* The same, or a new one. NULL: out of memory. */
static struct coverage_part *part_of(struct coverage *c,
				     enum coverage_kind kind,
				     unsigned int event, uint32_t number)
{
	const uint32_t key = key_of(kind, event, number);
	struct hash_slot *slot;

	if (!hash_room(&c->by_key) ||
	    !array_room(&c->parts, c->nr_parts, &c->cap_parts,
			sizeof(*c->parts)))
		return NULL;
	hash_for_each(&c->by_key, slot, key)
		if (is_part(&c->parts[slot->number - 1], kind, event, number))
			return &c->parts[slot->number - 1];
	hash_put(&c->by_key, slot, key, c->nr_parts);
	c->parts[c->nr_parts] = (struct coverage_part){
		.kind = kind, .number = number, .pid = PD_NO_ID, .event = event,
	};
	return &c->parts[c->nr_parts++];
}

static struct coverage_opened *opened_of(struct coverage *c, uint64_t id)
{
	struct hash_slot *slot;

	if (!hash_room(&c->by_id) ||
	    !array_room(&c->opened, c->nr_opened, &c->cap_opened,
			sizeof(*c->opened)))
		return NULL;
	hash_for_each(&c->by_id, slot, hash_u64(id))
		if (c->opened[slot->number - 1].id == id)
			return &c->opened[slot->number - 1];
	hash_put(&c->by_id, slot, hash_u64(id), c->nr_opened);
	c->opened[c->nr_opened] = (struct coverage_opened){ .id = id };
	return &c->opened[c->nr_opened++];
}

bool coverage_sample(struct coverage *c, const struct pd_event *ev)
{
	const uint32_t numbers[] = { 0, ev->cpu, ev->tid };
	const uint64_t period = pd_period(ev);
	enum coverage_kind kind;

	for (kind = COVERAGE_EVENT; kind <= COVERAGE_THREAD; kind++) {
		struct coverage_part *part =
			part_of(c, kind, ev->attr->index, numbers[kind]);

		if (!part)
			return false;
		if (kind == COVERAGE_THREAD)
			part->pid = ev->pid;
		part->samples++;
		part->covered += period;
		part->unknown |= !period;
	}
	return true;
}

static bool add_count(struct coverage *c, enum coverage_kind kind,
		      unsigned int event, uint32_t number, uint32_t pid,
		      uint64_t count)
{
	struct coverage_part *part = part_of(c, kind, event, number);

	if (!part)
		return false;
	/* Where a sample told it, that is right for certain. */
	if (kind == COVERAGE_THREAD && !part->samples)
		part->pid = pid;
	part->count += count;
	part->counted = true;
	return true;
}

bool coverage_count(struct coverage *c, const struct pd_event *ev)
{
	struct coverage_opened *opened = opened_of(c, ev->read.id);

	if (!opened)
		return false;
	if (ev->time) {
		opened->ended += ev->read.count;
		return add_count(c, COVERAGE_THREAD, ev->attr->index, ev->tid,
				 ev->pid, ev->read.count);
	}
	opened->event = ev->attr->index;
	opened->pid = ev->pid;
	opened->tid = ev->tid;
	opened->cpu = ev->cpu;
	opened->count = ev->read.count;
	opened->counted = c->has_opened = true;
	return true;
}

/*
 * An event counts with its thread all those that inherited it. What is left of that,
 * without those that have ended, is the thread's own, if all others have ended.
 */
static bool knows_threads(const struct coverage *c, const struct pd_attr *attr)
{
	size_t i;

	if (attr->inherit && !attr->inherit_stat)
		return false;
	for (i = 0; i < c->nr_parts; i++) {
		const struct coverage_part *part = &c->parts[i];
		size_t k = 0;

		if (part->kind != COVERAGE_THREAD || part->event != attr->index ||
		    part->counted)
			continue;
		while (k < c->nr_opened && (!c->opened[k].counted ||
					    c->opened[k].tid != part->number))
			k++;
		if (k == c->nr_opened)
			return false;
	}
	return true;
}

bool coverage_end(struct coverage *c, const struct pd *pd, bool lost)
{
	bool *known = calloc(pd_nr_attrs(pd), sizeof(*known)), ok = known;
	unsigned int event;
	size_t i;

	for (event = 0; ok && event < pd_nr_attrs(pd); event++)
		known[event] = !lost && knows_threads(c, pd_attr(pd, event));
	for (i = 0; ok && i < c->nr_opened; i++) {
		const struct coverage_opened *o = &c->opened[i];

		if (!o->counted)
			continue;
		ok = add_count(c, COVERAGE_EVENT, o->event, 0, 0, o->count) &&
		     add_count(c, COVERAGE_HART, o->event, o->cpu, 0,
			       o->count);
		if (ok && o->tid != PD_NO_ID && known[o->event] &&
		    o->count >= o->ended)
			ok = add_count(c, COVERAGE_THREAD, o->event, o->tid,
				       o->pid, o->count - o->ended);
	}
	free(known);
	return ok;
}

double coverage_share(const struct coverage_part *part)
{
	double share;

	if (!part || !part->counted || !part->count || part->unknown)
		return -1;
	share = (double)part->covered / part->count;
	/* What was counted of a sample that was under way when the event stopped. */
	return share < 1 ? share : 1;
}

void coverage_free(struct coverage *c)
{
	free(c->parts);
	hash_free(&c->by_key);
	free(c->opened);
	hash_free(&c->by_id);
}
