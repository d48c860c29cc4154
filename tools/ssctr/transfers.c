// SPDX-License-Identifier: GPL-2.0-only
#include "transfers.h"
#include "profile/array.h"

#include <stdlib.h>

enum {
	START_SLOTS = 4096,
	/* Transfers that are looked up together, so that their slots come from
	 * memory at the same time. */
	BATCH = 64,
};

static inline uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* --- the index --- */

static void put_slot(struct tr_index *index, struct tr_slot slot)
{
	size_t i = slot.hash & index->mask;

	while (index->slots[i].number)
		i = (i + 1) & index->mask;
	index->slots[i] = slot;
}

/* Room for one more than nr. False: out of memory. */
static bool grow_index(struct tr_index *index, size_t nr)
{
	size_t nr_slots = index->slots ? index->mask + 1 : 0, i;
	struct tr_index new;

	if (2 * (nr + 1) <= nr_slots)
		return true;
	new.mask = (nr_slots ? 2 * nr_slots : START_SLOTS) - 1;
	new.slots = calloc(new.mask + 1, sizeof(*new.slots));
	if (!new.slots)
		return false;
	for (i = 0; i < nr_slots; i++)
		if (index->slots[i].number)
			put_slot(&new, index->slots[i]);
	free(index->slots);
	*index = new;
	return true;
}

static inline void prefetch(const struct tr_index *index, uint32_t hash)
{
	if (index->slots)
		__builtin_prefetch(&index->slots[hash & index->mask]);
}

/* --- places --- */

static uint32_t hash_place(const struct path_place *p)
{
	uint64_t hash = mix(p->offset, p->dso ? p->dso->id + 1 : 0);

	return mix(hash, (uintptr_t)p->perf_map) >> 32;
}

static bool same_place(const struct path_place *a, const struct path_place *b)
{
	return a->offset == b->offset && a->dso == b->dso &&
	       a->perf_map == b->perf_map;
}

/* The place's number; TR_NONE: out of memory. */
static uint32_t number_place(struct transfers *t, struct path_place place,
			     uint32_t hash)
{
	struct path_place *places;
	size_t i;

	if (!grow_index(&t->place_index, t->nr_places))
		return TR_NONE;
	for (i = hash & t->place_index.mask; t->place_index.slots[i].number;
	     i = (i + 1) & t->place_index.mask) {
		struct tr_slot slot = t->place_index.slots[i];

		if (slot.hash == hash &&
		    same_place(&t->places[slot.number - 1], &place))
			return slot.number - 1;
	}
	places = prof_grow(t->places, t->nr_places, &t->cap_places,
			   sizeof(*places));
	if (!places || t->nr_places == TR_NONE - 1)
		return TR_NONE;
	t->places = places;
	places[t->nr_places++] = place;
	t->place_index.slots[i] = (struct tr_slot){ hash, t->nr_places };
	return t->nr_places - 1;
}

/* --- steps --- */

static bool same_step(const struct tr_step *a, const struct tr_step *b)
{
	return a->from == b->from && a->to == b->to && a->end == b->end &&
	       a->type == b->type;
}

static uint32_t hash_step(const struct tr_step *s)
{
	uint64_t hash = mix((uint64_t)s->from << 32 | s->to, s->end);

	return mix(hash, s->type) >> 32;
}

/* Add to the counts of the step that is the same. False: out of memory. */
static bool count_step(struct transfers *t, const struct tr_step *new,
		       uint32_t hash)
{
	struct tr_step *steps;
	size_t i;

	if (!grow_index(&t->step_index, t->nr_steps))
		return false;
	for (i = hash & t->step_index.mask; t->step_index.slots[i].number;
	     i = (i + 1) & t->step_index.mask) {
		struct tr_slot slot = t->step_index.slots[i];
		struct tr_step *s = &t->steps[slot.number - 1];

		if (slot.hash != hash || !same_step(s, new))
			continue;
		s->count += new->count;
		s->mispredicted += new->mispredicted;
		s->cycles += new->cycles;
		s->timed += new->timed;
		return true;
	}
	steps = prof_grow(t->steps, t->nr_steps, &t->cap_steps, sizeof(*steps));
	if (!steps || t->nr_steps == TR_NONE - 1)
		return false;
	t->steps = steps;
	steps[t->nr_steps++] = *new;
	t->step_index.slots[i] = (struct tr_slot){ hash, t->nr_steps };
	return true;
}

static struct tr_step new_step(struct transfers *t, uint64_t flags)
{
	/* perf's flags: neither of them means that it is not known. */
	enum { MISPREDICTED = 1, PREDICTED = 2 };
	struct tr_step step = { .type = pd_branch_type(flags), .count = 1 };

	step.mispredicted = pd_branch_mispredicted(flags);
	step.cycles = pd_branch_cycles(flags);
	step.timed = !!step.cycles;
	t->mispredicted += step.mispredicted;
	t->has_predictions |= !!(flags & (MISPREDICTED | PREDICTED));
	t->has_cycles |= step.timed;
	return step;
}

/* The n entries of a stack from first on; *end is the source of the one before. */
static bool count_batch(struct transfers *t, struct path_code *code,
			const struct pd_event *ev, uint64_t first,
			unsigned int n, uint32_t *end)
{
	struct path_place places[2 * BATCH];
	struct tr_step steps[BATCH];
	uint32_t hashes[2 * BATCH];
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct pd_branch br = pd_branch_at(&ev->sample, first + i);

		places[2 * i] = path_code_place(code, ev->pid, br.from);
		places[2 * i + 1] = path_code_place(code, ev->pid, br.to);
		steps[i] = new_step(t, br.flags);
	}
	for (i = 0; i < 2 * n; i++) {
		hashes[i] = hash_place(&places[i]);
		prefetch(&t->place_index, hashes[i]);
	}
	for (i = 0; i < n; i++) {
		struct tr_step *s = &steps[i];

		s->from = number_place(t, places[2 * i], hashes[2 * i]);
		s->to = number_place(t, places[2 * i + 1], hashes[2 * i + 1]);
		if (s->from == TR_NONE || s->to == TR_NONE)
			return false;
		s->end = *end;
		*end = s->from;
	}
	for (i = 0; i < n; i++) {
		hashes[i] = hash_step(&steps[i]);
		prefetch(&t->step_index, hashes[i]);
	}
	for (i = 0; i < n; i++)
		if (!count_step(t, &steps[i], hashes[i]))
			return false;
	return true;
}

bool transfers_count(struct transfers *t, struct path_code *code,
		     const struct pd_event *ev)
{
	uint64_t i, nr = ev->sample.nr_branches;
	uint32_t end = TR_NONE;

	t->samples += !!nr;
	t->entries += nr;
	for (i = 0; i < nr; i += BATCH)
		if (!count_batch(t, code, ev, i,
				 nr - i < BATCH ? nr - i : BATCH, &end))
			return false;
	return true;
}

/* --- in order --- */

struct ranked {
	struct path_place place;
	uint32_t number;
};

static int by_address(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;
	const struct path_place *p = &a->place, *q = &b->place;

	if (p->dso != q->dso) {
		if (!p->dso || !q->dso)
			return p->dso ? 1 : -1;
		return p->dso->id < q->dso->id ? -1 : 1;
	}
	if (p->perf_map != q->perf_map)
		return (uintptr_t)p->perf_map < (uintptr_t)q->perf_map ? -1 : 1;
	return p->offset < q->offset ? -1 : p->offset > q->offset;
}

bool transfers_sort(struct transfers *t)
{
	struct ranked *v = malloc((t->nr_places + 1) * sizeof(*v));
	uint32_t *rank = malloc((t->nr_places + 1) * sizeof(*rank));
	bool done = v && rank;
	size_t i;

	if (done) {
		for (i = 0; i < t->nr_places; i++)
			v[i] = (struct ranked){ t->places[i], i };
		qsort(v, t->nr_places, sizeof(*v), by_address);
		for (i = 0; i < t->nr_places; i++) {
			t->places[i] = v[i].place;
			rank[v[i].number] = i;
		}
		for (i = 0; i < t->nr_steps; i++) {
			struct tr_step *step = &t->steps[i];

			step->from = rank[step->from];
			step->to = rank[step->to];
			if (step->end != TR_NONE)
				step->end = rank[step->end];
		}
	}
	free(v);
	free(rank);
	return done;
}

void transfers_free(struct transfers *t)
{
	free(t->places);
	free(t->steps);
	free(t->place_index.slots);
	free(t->step_index.slots);
	*t = (struct transfers){ 0 };
}
