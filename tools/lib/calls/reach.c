// SPDX-License-Identifier: GPL-2.0-only
#include "calls/reach.h"
#include "base/array.h"
#include "riscv/rv_insn.h"

#include <stdlib.h>

enum {
	/* Tail calls that are followed. */
	MAX_FUNCTIONS = 64,
	/* bytes; what is longer is taken to jump anywhere */
	MAX_SIZE = 1 << 20,
};

struct calls_reach_pair {
	struct path_place called, at;
	bool reached;
};

void calls_reach_free(struct calls_reach *reach)
{
	free(reach->pairs);
	hash_free(&reach->index);
}

/* The functions to which control can have come, from the first one on. */
struct walk {
	struct path_code *code;
	struct path_place functions[MAX_FUNCTIONS]; /* where they start */
	unsigned int nr;
	bool anywhere;
};

/* Where the function of a place starts. False: none is known. */
static bool start_of(struct path_code *code, struct path_place *place)
{
	const char *name;
	uint64_t from_start;

	if (!path_code_symbol(code, place, &name, &from_start))
		return false;
	place->offset -= from_start;
	return true;
}

static void enter(struct walk *walk, struct path_place place)
{
	unsigned int i;

	if (!start_of(walk->code, &place) || walk->nr == MAX_FUNCTIONS) {
		walk->anywhere = true;
		return;
	}
	for (i = 0; i < walk->nr; i++)
		if (walk->functions[i].offset == place.offset)
			return;
	walk->functions[walk->nr++] = place;
}

/* Calls come back, and returns leave all. */
static void follow(struct walk *walk, const struct rv_insn *insn, struct path_place place)
{
	if (!insn->xfer || rv_is_call(insn) || insn->xfer == RV_XFER_RETURN ||
	    rv_always_traps(insn))
		return;
	if (rv_target(insn, place.offset, &place.offset))
		enter(walk, place);
	else
		walk->anywhere = true;
}

/* Where the code of a function leads, up to its end, where it may run into the next one. */
static void scan(struct walk *walk, struct path_place place)
{
	const unsigned int flags = path_code_flags(walk->code, &place);
	const uint64_t start = place.offset;
	struct path_place function = place;
	struct rv_insn insn;
	const uint8_t *code;
	uint64_t len = 0;
	bool known = true;

	code = path_code_bytes(walk->code, &place, &len);
	if (len > MAX_SIZE)
		len = MAX_SIZE;
	while (code && !walk->anywhere && known && function.offset == start) {
		const uint64_t done = place.offset - start;

		if (done >= len || rv_decode(&insn, code + done, len - done, flags) < 0)
			break;
		follow(walk, &insn, place);
		place.offset += insn.size;
		function = place;
		known = start_of(walk->code, &function);
	}
	if (known && function.offset == start)
		walk->anywhere = true;
	else if (known && !rv_never_falls_through(&insn) && !rv_always_traps(&insn))
		enter(walk, place);
}

/* Both are where functions start. */
static bool find(struct path_code *code, struct path_place called, struct path_place at)
{
	struct walk walk = { .code = code, .functions = { called }, .nr = 1 };
	unsigned int i;

	for (i = 0; i < walk.nr && !walk.anywhere; i++) {
		if (walk.functions[i].dso == at.dso && walk.functions[i].offset == at.offset)
			return true;
		scan(&walk, walk.functions[i]);
	}
	return walk.anywhere;
}

static bool is_same(const struct path_place *a, const struct path_place *b)
{
	return a->offset == b->offset && a->dso == b->dso && a->perf_map == b->perf_map;
}

int calls_reach(struct calls_reach *reach, const struct path_place *called_place,
		const struct path_place *at_place)
{
	struct path_place called = *called_place, at = *at_place;
	struct hash_slot *slot;
	uint32_t hash;

	/* All places of a function have one answer, for which much code may be read. */
	if (!start_of(reach->code, &called) || !start_of(reach->code, &at))
		return 1;
	hash = hash_u64(called.offset ^ at.offset << 20);

	if (!hash_room(&reach->index) || !array_room(&reach->pairs, reach->nr_pairs,
						     &reach->cap_pairs, sizeof(*reach->pairs)))
		return -1;
	hash_for_each(&reach->index, slot, hash) {
		const struct calls_reach_pair *p = &reach->pairs[slot->number - 1];

		if (is_same(&p->called, &called) && is_same(&p->at, &at))
			return p->reached;
	}
	hash_put(&reach->index, slot, hash, reach->nr_pairs);
	reach->pairs[reach->nr_pairs] = (struct calls_reach_pair){
		called, at, find(reach->code, called, at)
	};
	return reach->pairs[reach->nr_pairs++].reached;
}
