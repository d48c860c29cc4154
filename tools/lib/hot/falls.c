// SPDX-License-Identifier: GPL-2.0-only
/*
 * Straight lines that lead from one function into the next one, as in the save and restore
 * routines of -msave-restore, and in assembly code with several entries. They are cut where they
 * come into another function, so that each has its part of them.
 */
#include "base/array.h"
#include "hot/internal.h"

#include <stdlib.h>

/* Code that is longer, or in more functions, is rather two transfers between which some lack. */
enum { MOST_PARTS = 64, MOST_BYTES = 1 << 12 };

/* What is cut. The functions of places have no numbers yet: hot_place.function tells if known. */
struct cutter {
	struct hot *hot;
	struct hot_place *added; /* `begun` is the index that each had before they were sorted */
	size_t nr_added, cap_added, cap_parts;
	bool failed; /* out of memory */
};

static bool is_same_function(const struct hot_place *a, const struct hot_place *b)
{
	return a->function == b->function &&
	       (!a->function || hot_start_of(a) == hot_start_of(b));
}

/* The next place in another function than this one, which may be last itself. */
static struct hot_place next_function(struct hot *hot, const struct hot_place *place,
				      const struct hot_place *last)
{
	struct hot_place next = *place;

	while ((next.at.offset += 2) < last->at.offset) {
		hot_find_symbol(hot, &next);
		if (!is_same_function(&next, place))
			return next;
	}
	return *last;
}

/* A place that may be there already. These get the numbers behind those that are. */
static uint32_t add_place(struct cutter *c, const struct hot_place *place)
{
	c->failed |= !array_room(&c->added, c->nr_added, &c->cap_added, sizeof(*place));
	if (c->failed)
		return 0;
	c->added[c->nr_added] = (struct hot_place){
		.at = place->at, .offset = place->offset, .function = place->function,
		.begun = c->nr_added,
	};
	return c->hot->nr_places + c->nr_added++;
}

static void add_part(struct cutter *c, const struct hot_part *part)
{
	struct hot *hot = c->hot;

	c->failed |= !array_room(&hot->parts, hot->nr_parts, &c->cap_parts, sizeof(*part));
	if (!c->failed)
		hot->parts[hot->nr_parts++] = *part;
}

/* Returns false if control does not go on from each instruction before the last one to the next. */
static bool is_straight(const struct hot *hot, const struct hot_place *first,
			const struct hot_place *last)
{
	const unsigned int flags = path_code_flags(hot->code, &first->at);
	const uint64_t size = last->at.offset - first->at.offset;
	struct rv_insn insn;
	uint64_t len, at;
	const uint8_t *code = path_code_bytes(hot->code, &first->at, &len);
	int n;

	for (at = 0; code && at < size; at += n) {
		n = at < len ? rv_decode(&insn, code + at, len - at, flags) : -1;
		if (n < 0 || rv_never_falls_through(&insn))
			return false;
	}
	return true;
}

/*
 * Go on from a place to the last instruction of the next so many bytes. Returns the number of
 * their instructions, or 0 if the code is not known.
 */
static unsigned int find_last(const struct hot *hot, struct hot_place *place, uint64_t size)
{
	uint64_t len, at, last = size - 2;
	const uint8_t *code = path_code_bytes(hot->code, &place->at, &len);
	unsigned int nr = 0, n;

	for (at = 0; code && len >= size && at + 1 < size; at += n) {
		n = rv_insn_size((uint16_t)(code[at] | code[at + 1] << 8));
		if (!n)
			break;
		last = at;
		nr++;
	}
	place->at.offset += last;
	place->offset += last;
	return nr;
}

/* The instructions of a part: if the code is not known, as many as its bytes are of the rest. */
static double part_of(double left, unsigned int nr, uint64_t size, uint64_t rest)
{
	if (!nr)
		return left * (double)size / (double)rest;
	return nr < left ? nr : left;
}

/* Returns false if it is in too many functions. */
static bool cut(struct cutter *c, uint32_t step)
{
	struct hot *hot = c->hot;
	const struct hot_place *end = &hot->places[hot->steps[step].end];
	struct hot_place at = hot->places[hot->edges[step].to], last, next;
	struct hot_part part = { .step = step, .to = hot->edges[step].to };
	double left = hot->steps[step].length;
	unsigned int parts, nr;

	for (parts = 1; !c->failed && !is_same_function(&at, end); parts++) {
		uint64_t size;

		next = next_function(hot, &at, end);
		last = at;
		size = next.at.offset - at.at.offset;
		if (parts == MOST_PARTS)
			return false;
		nr = find_last(hot, &last, size);
		part.end = add_place(c, &last);
		part.length = part_of(left, nr, size, end->at.offset + 2 - at.at.offset);
		part.goes_on = true;
		left -= part.length;
		add_part(c, &part);
		part = (struct hot_part){ .step = step, .to = add_place(c, &next), .comes = true };
		at = next;
	}
	part.end = hot->steps[step].end;
	part.length = left;
	add_part(c, &part);
	return true;
}

/* Most lines are in one function, and are only looked at here. */
static void cut_lines(struct cutter *c)
{
	struct hot *hot = c->hot;
	size_t i;

	for (i = 0; i < hot->nr_steps && !c->failed; i++) {
		const size_t nr_added = c->nr_added, nr_parts = hot->nr_parts;
		const uint32_t to = hot->edges[i].to, end = hot->steps[i].end;
		uint64_t size;

		if (end == HOT_NO_PLACE || end <= to ||
		    is_same_function(&hot->places[to], &hot->places[end]))
			continue;
		size = hot->places[end].at.offset - hot->places[to].at.offset;
		if (size % 2 || size > MOST_BYTES ||
		    !is_straight(hot, &hot->places[to], &hot->places[end]))
			continue;
		if (!cut(c, i)) {
			c->nr_added = nr_added;
			hot->nr_parts = nr_parts;
		}
	}
}

/* Put the added places among the others. numbers: room for the new number of each. */
static void merge_places(struct cutter *c, struct hot_place *merged, uint32_t *numbers)
{
	struct hot *hot = c->hot;
	size_t i = 0, k = 0, nr = 0, n;
	int order;

	qsort(c->added, c->nr_added, sizeof(*c->added), hot_by_address);
	while (i < hot->nr_places || k < c->nr_added) {
		order = i == hot->nr_places ? 1 : k == c->nr_added ? -1 :
			hot_by_address(&hot->places[i], &c->added[k]);
		merged[nr] = order <= 0 ? hot->places[i] : c->added[k];
		if (order <= 0)
			numbers[i++] = nr;
		for (; k < c->nr_added && !hot_by_address(&merged[nr], &c->added[k]); k++)
			numbers[hot->nr_places + c->added[k].begun] = nr;
		merged[nr++].begun = 0;
	}
	for (n = 0; n < hot->nr_edges; n++) {
		hot->edges[n].from = numbers[hot->edges[n].from];
		hot->edges[n].to = numbers[hot->edges[n].to];
		if (hot->steps[n].end != HOT_NO_PLACE)
			hot->steps[n].end = numbers[hot->steps[n].end];
	}
	for (n = 0; n < hot->nr_parts; n++) {
		hot->parts[n].to = numbers[hot->parts[n].to];
		hot->parts[n].end = numbers[hot->parts[n].end];
	}
	/* One more ends the last one's edges. */
	merged[nr] = (struct hot_place){ 0 };
	free(hot->places);
	hot->places = merged;
	hot->nr_places = nr;
}

bool hot_cut_lines(struct hot *hot)
{
	struct cutter c = { .hot = hot };
	struct hot_place *merged = NULL;
	uint32_t *numbers = NULL;

	/* If kinds of branches are missing, a line is not what ran. */
	if (hot->how & HOT_ALL)
		cut_lines(&c);
	if (!c.failed && c.nr_added) {
		const size_t nr = hot->nr_places + c.nr_added;

		merged = malloc((nr + 1) * sizeof(*merged));
		numbers = malloc(nr * sizeof(*numbers));
		c.failed = !merged || !numbers;
	}
	if (!c.failed && c.nr_added)
		merge_places(&c, merged, numbers);
	else
		free(merged);
	free(numbers);
	free(c.added);
	return !c.failed;
}
