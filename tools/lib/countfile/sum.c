// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/sum.h"
#include "base/array.h"

#include <stdlib.h>

/* -------------------------------------------------------------------- sums */

/* Add `more` times a factor. Returns false if the sum does not fit. */
static bool add(uint64_t *sum, uint64_t more, uint64_t factor)
{
	unsigned __int128 scaled = (unsigned __int128)more * factor + CF_FACTOR_ONE / 2;

	return !(scaled >> 32 > UINT64_MAX) &&
	       !__builtin_add_overflow(*sum, (uint64_t)(scaled >> 32), sum);
}

static bool add_sums(struct cf_head *to, const struct cf_head *from, uint64_t factor)
{
	return add(&to->samples, from->samples, factor) &&
	       add(&to->empty, from->empty, factor) &&
	       add(&to->entries, from->entries, factor) &&
	       add(&to->weight, from->weight, factor) &&
	       add(&to->lost, from->lost, factor) &&
	       add(&to->dropped, from->dropped, factor) &&
	       add(&to->left_out, from->left_out, factor) &&
	       add(&to->left_out_weight, from->left_out_weight, factor);
}

static void add_kind(struct cf_head *to, const struct cf_head *from, bool first,
		     uint64_t factor)
{
	if (!to->begin || (from->begin && from->begin < to->begin))
		to->begin = from->begin;
	if (from->end > to->end)
		to->end = from->end;
	to->untimed |= from->untimed || !from->end;
	if (from->depth > to->depth)
		to->depth = from->depth;
	to->flags |= from->flags;
	to->all_branches = from->all_branches && (first || to->all_branches);
	to->mixed |= from->mixed || (!first && to->by_events != from->by_events);
	to->by_events |= from->by_events;
	to->scaled |= from->scaled || factor != CF_FACTOR_ONE;
}

/* ------------------------------------------------------------------ events */

/* Returns the event with this name, which may be new, or NULL if out of memory. */
static struct cf_event *find_event(struct cf_sum *sum, const char *name)
{
	uint32_t hash = hash_bytes(0, name, strlen(name));
	struct cf_head *head = &sum->head;
	struct hash_slot *slot;
	struct cf_event *e;

	if (!hash_room(&sum->events) ||
	    !array_room(&head->events, head->nr_events, &sum->cap_events, sizeof(*e)))
		return NULL;
	hash_for_each(&sum->events, slot, hash)
		if (!strcmp(head->events[slot->number - 1].name, name))
			return &head->events[slot->number - 1];
	e = &head->events[head->nr_events];
	*e = (struct cf_event){ .name = strdup(name) };
	if (!e->name)
		return NULL;
	hash_put(&sum->events, slot, hash, (uint32_t)head->nr_events++);
	return e;
}

static int add_event(struct cf_sum *sum, const struct cf_event *from, uint64_t factor,
		     struct error *error)
{
	struct cf_event *to = find_event(sum, from->name);

	if (!to)
		return error_nomem(error);
	if (add(&to->samples, from->samples, factor) &&
	    add(&to->covered, from->covered, factor) &&
	    add(&to->count, from->count, factor) &&
	    add(&to->unknown, from->unknown, factor))
		return 0;
	return error_set(error, ERROR_INPUT, "the counts of %s do not fit into 64 bits",
			 from->name);
}

static int compare_events(const void *a, const void *b)
{
	return strcmp(((const struct cf_event *)a)->name,
		      ((const struct cf_event *)b)->name);
}

/* ---------------------------------------------------------------- binaries */

static uint32_t hash_binary(const struct cf_binary *b)
{
	uint32_t hash = b->build_id_size ? hash_bytes(0, b->build_id, b->build_id_size) :
					   hash_bytes(1, b->name, strlen(b->name));

	return b->symbol ? hash_bytes(hash, b->symbol, strlen(b->symbol)) : hash;
}

bool cf_sum_rename(struct cf_binary *b, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return false;
	free(b->name);
	b->name = copy;
	return true;
}

/* Two names of one binary. Returns false if out of memory. */
static bool keep_first_name(struct cf_binary *to, const struct cf_binary *from)
{
	to->kernel |= from->kernel;
	to->picked |= from->picked;
	return strcmp(to->name, from->name) <= 0 || cf_sum_rename(to, from->name);
}

/* Returns false if out of memory. */
static bool append_binary(struct cf_sum *sum, const struct cf_binary *from)
{
	struct cf_head *head = &sum->head;
	struct cf_binary *to;

	if (!array_room(&head->binaries, head->nr_binaries, &sum->cap_binaries,
			sizeof(*to)))
		return false;
	to = &head->binaries[head->nr_binaries++];
	*to = *from;
	to->name = strdup(from->name);
	to->symbol = from->symbol ? strdup(from->symbol) : NULL;
	return to->name && !to->symbol == !from->symbol;
}

/* Returns false if out of memory. */
static bool add_binary(struct cf_sum *sum, const struct cf_binary *from)
{
	uint32_t hash = hash_binary(from);
	struct cf_head *head = &sum->head;
	struct hash_slot *slot;

	if (!hash_room(&sum->binaries))
		return false;
	hash_for_each(&sum->binaries, slot, hash)
		if (!cf_compare_binaries(&head->binaries[slot->number - 1], from))
			return keep_first_name(&head->binaries[slot->number - 1], from);
	hash_put(&sum->binaries, slot, hash, (uint32_t)head->nr_binaries);
	return append_binary(sum, from);
}

/* The first two are in each file. */
static bool add_binaries(struct cf_sum *sum, const struct cf_head *from)
{
	size_t i;

	for (i = 0; i < CF_FIRST_BINARY; i++)
		if (sum->head.nr_binaries == i && !append_binary(sum, &from->binaries[i]))
			return false;
	for (i = CF_FIRST_BINARY; i < from->nr_binaries; i++)
		if (!add_binary(sum, &from->binaries[i]))
			return false;
	return true;
}

bool cf_sum_map(const struct cf_sum *sum, const struct cf_head *head, uint32_t *map)
{
	const struct cf_binary *all = sum->head.binaries, *found;
	size_t i;

	for (i = 0; i < head->nr_binaries; i++) {
		map[i] = (uint32_t)i;
		if (i < CF_FIRST_BINARY)
			continue;
		found = bsearch(&head->binaries[i], all + CF_FIRST_BINARY,
				sum->head.nr_binaries - CF_FIRST_BINARY, sizeof(*all),
				cf_order_binaries);
		if (!found)
			return false;
		map[i] = (uint32_t)(found - all);
	}
	return true;
}

/* ----------------------------------------------------------------- sources */

static bool add_sources(struct cf_sum *sum, const struct cf_head *from, uint32_t input)
{
	size_t i;

	for (i = 0; i < from->nr_sources; i++) {
		if (!array_room(&sum->sources, sum->nr_sources, &sum->cap_sources,
				sizeof(*sum->sources)))
			return false;
		sum->sources[sum->nr_sources++] =
			(struct cf_sum_source){ from->sources[i], input };
	}
	return true;
}

/* By label and first period. The inputs make the order of equal ones certain. */
static int compare_sources(const void *a, const void *b)
{
	const struct cf_sum_source *x = a, *y = b;
	int order = memcmp(x->source.label, y->source.label, sizeof(x->source.label));

	if (order)
		return order;
	if (x->source.first != y->source.first)
		return x->source.first < y->source.first ? -1 : 1;
	return x->input < y->input ? -1 : x->input > y->input;
}

/* Stores what they share, and returns whether they share something. a begins first. */
static bool overlaps(const struct cf_sum_source *a, const struct cf_sum_source *b,
		     struct cf_overlap *overlap)
{
	if (memcmp(a->source.label, b->source.label, sizeof(a->source.label)) ||
	    b->source.first > a->source.last)
		return false;
	*overlap = (struct cf_overlap){ { a->input, b->input }, b->source };
	if (a->source.last < b->source.last)
		overlap->shared.last = a->source.last;
	return true;
}

static int join_sources(struct cf_sum *sum, struct cf_overlap *overlap)
{
	struct cf_head *head = &sum->head;
	const struct cf_sum_source *s;
	struct cf_source *last;
	size_t i;

	qsort(sum->sources, sum->nr_sources, sizeof(*sum->sources), compare_sources);
	head->sources = malloc(sum->nr_sources * sizeof(*head->sources));
	if (!head->sources)
		return ERROR_NOMEM;
	for (i = 0; i < sum->nr_sources; i++) {
		s = &sum->sources[i];
		if (i && overlaps(s - 1, s, overlap))
			return ERROR_INPUT;
		last = head->nr_sources ? &head->sources[head->nr_sources - 1] : NULL;
		if (last && !memcmp(last->label, s->source.label, sizeof(last->label)) &&
		    s->source.first - last->last == 1)
			last->last = s->source.last;
		else
			head->sources[head->nr_sources++] = s->source;
	}
	return 0;
}

/* --------------------------------------------------------------------- all */

int cf_sum_add(struct cf_sum *sum, const struct cf_head *head, uint32_t input,
	       uint64_t factor, struct error *error)
{
	size_t i;
	int ret = 0;

	if (!add_binaries(sum, head) || !add_sources(sum, head, input))
		return error_nomem(error);
	for (i = 0; !ret && i < head->nr_events; i++)
		ret = add_event(sum, &head->events[i], factor, error);
	if (ret)
		return ret;
	if (sum->head.nr_binaries > CF_MAX_BINARIES)
		return error_set(error, ERROR_INPUT, "there are more than %d binaries",
				 CF_MAX_BINARIES);
	if (!add_sums(&sum->head, head, factor))
		return error_set(error, ERROR_INPUT,
				 "the counts do not fit into 64 bits");
	add_kind(&sum->head, head, !sum->nr++, factor);
	return 0;
}

void cf_sum_join(struct cf_sum *sum, const struct cf_source *source)
{
	sum->nr_sources = 1; /* each head has one */
	sum->sources->source = *source;
}

int cf_sum_finish(struct cf_sum *sum, struct cf_overlap *overlap)
{
	struct cf_head *head = &sum->head;

	head->untimed &= head->end != 0;
	qsort(head->binaries + CF_FIRST_BINARY, head->nr_binaries - CF_FIRST_BINARY,
	      sizeof(*head->binaries), cf_order_binaries);
	hash_free(&sum->binaries);
	if (head->nr_events)
		qsort(head->events, head->nr_events, sizeof(*head->events),
		      compare_events);
	return join_sources(sum, overlap);
}

/* A binary and an event with their names, and their parts of a hash. */
enum { NAMED = 64 + 128 };

size_t cf_head_bytes(const struct cf_head *head)
{
	return (head->nr_binaries + head->nr_events) * NAMED +
	       head->nr_sources * sizeof(*head->sources);
}

size_t cf_sum_bytes(const struct cf_sum *sum)
{
	return (sum->cap_binaries + sum->cap_events) * NAMED +
	       sum->cap_sources * sizeof(*sum->sources);
}

void cf_sum_free(struct cf_sum *sum)
{
	cf_head_free(&sum->head);
	hash_free(&sum->binaries);
	hash_free(&sum->events);
	free(sum->sources);
	*sum = (struct cf_sum){ 0 };
}
