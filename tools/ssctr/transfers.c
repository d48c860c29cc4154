// SPDX-License-Identifier: GPL-2.0-only
#include "transfers.h"
#include "profile/array.h"

#include <stdlib.h>

enum { START_SLOTS = 4096 };

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
static uint32_t number_place(struct transfers *t, struct path_place place)
{
	uint32_t hash = hash_place(&place);
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

/* The step that is the same as `want`, with a count of 0 if it is new; NULL. */
static struct tr_step *find_step(struct transfers *t,
				 const struct tr_step *want)
{
	uint64_t key = (uint64_t)want->from << 32 | want->to;
	uint32_t hash =
		mix(mix(key, want->end), want->type) >> 32;
	struct tr_step *steps;
	size_t i;

	if (!grow_index(&t->step_index, t->nr_steps))
		return NULL;
	for (i = hash & t->step_index.mask; t->step_index.slots[i].number;
	     i = (i + 1) & t->step_index.mask) {
		struct tr_slot slot = t->step_index.slots[i];

		if (slot.hash == hash &&
		    same_step(&t->steps[slot.number - 1], want))
			return &t->steps[slot.number - 1];
	}
	steps = prof_grow(t->steps, t->nr_steps, &t->cap_steps, sizeof(*steps));
	if (!steps || t->nr_steps == TR_NONE - 1)
		return NULL;
	t->steps = steps;
	steps[t->nr_steps++] = *want;
	t->step_index.slots[i] = (struct tr_slot){ hash, t->nr_steps };
	return &steps[t->nr_steps - 1];
}

bool transfers_count(struct transfers *t, struct path_code *code,
		     const struct pd_event *ev)
{
	/* perf's flags: neither of them means that it is not known. */
	enum { MISPREDICTED = 1, PREDICTED = 2 };
	uint64_t i, nr = ev->sample.nr_branches;
	uint32_t end = TR_NONE;

	t->samples += !!nr;
	t->entries += nr;
	for (i = 0; i < nr; i++) {
		struct pd_branch br = pd_branch_at(&ev->sample, i);
		unsigned int cycles = pd_branch_cycles(br.flags);
		bool missed = pd_branch_mispredicted(br.flags);
		struct tr_step *step, want = {
			.from = number_place(
				t, path_code_place(code, ev->pid, br.from)),
			.to = number_place(
				t, path_code_place(code, ev->pid, br.to)),
			.end = end, .type = pd_branch_type(br.flags)
		};

		if (want.from == TR_NONE || want.to == TR_NONE)
			return false;
		step = find_step(t, &want);
		if (!step)
			return false;
		step->count++;
		step->mispredicted += missed;
		step->cycles += cycles;
		step->timed += !!cycles;
		t->mispredicted += missed;
		t->has_predictions |= !!(br.flags & (MISPREDICTED | PREDICTED));
		t->has_cycles |= !!cycles;
		end = want.from;
	}
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
