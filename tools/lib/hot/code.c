// SPDX-License-Identifier: GPL-2.0-only
/* The code of functions, and how often each of its instructions ran. */
#include "hot/internal.h"

/*
 * The bytes at an offset that the kernel changes, up to the next place in them, so that each
 * place is at the start of such bytes. 0: it does not change these.
 */
static uint64_t changed_at(const struct hot *hot, uint32_t function, uint64_t offset)
{
	const struct path_place place = hot_address(hot, function, offset);
	const struct hot_function *f = &hot->functions[function];
	uint64_t size;
	uint32_t i;

	if (path_code_state(hot->code, &place, &size) != IMG_PATCHED)
		return 0;
	for (i = f->first; i <= f->last; i++) {
		const struct hot_place *p = &hot->places[i];

		if (p->function == function && p->offset > offset && p->offset - offset < size)
			return p->offset - offset;
	}
	return size;
}

static size_t decode(const struct hot *hot, uint32_t function, uint64_t first,
		     uint64_t last, struct hot_insn *v, size_t room)
{
	struct path_place place = hot_address(hot, function, first);
	const unsigned int flags = path_code_flags(hot->code, &place);
	const uint8_t *code = NULL;
	uint64_t at = first, left = 0;
	size_t nr;
	int size;

	for (nr = 0; nr < room && at <= last; nr++) {
		v[nr] = (struct hot_insn){ .offset = at, .rv32 = flags & RV_RV32,
					    .place = HOT_NO_PLACE };
		if (!left) {
			place = hot_address(hot, function, at);
			code = path_code_bytes(hot->code, &place, &left);
		}
		if (!code) {
			v[nr].changed = changed_at(hot, function, at);
			if (!v[nr].changed)
				break;
			at += v[nr].changed;
			continue;
		}
		size = rv_decode(&v[nr].insn, code, left, flags);
		if (size < 0)
			break;
		code += size;
		left -= size;
		at += size;
	}
	return nr;
}

uint64_t hot_nr_insns(const struct hot_insn *insn)
{
	enum { INSN_BYTES = 4 };

	return insn->changed ? (insn->changed + INSN_BYTES - 1) / INSN_BYTES : 1;
}

/* Transfers into the midst of an instruction are left out. */
static void add_edges(const struct hot *hot, const struct hot_place *p,
		      struct hot_insn *insn)
{
	size_t i;

	insn->place = p - hot->places;
	for (i = p->into; i < p[1].into; i++) {
		const struct hot_edge *e = &hot->edges[hot->into[i]];

		insn->came += e->count;
		if (!insn->source || e->count > insn->source->count)
			insn->source = e;
	}
	for (i = p->first; i < p[1].first; i++) {
		const struct hot_edge *e = &hot->edges[i];

		insn->taken += e->count;
		if (!insn->edge || e->count > insn->edge->count)
			insn->edge = e;
	}
}

size_t hot_code(const struct hot *hot, uint32_t function, uint64_t first, uint64_t last,
		struct hot_insn *v, size_t room)
{
	const struct hot_function *f = &hot->functions[function];
	size_t nr = decode(hot, function, first, last, v, room), i = 0, k;
	uint64_t running = 0;

	for (k = f->first; k <= f->last; k++) {
		const struct hot_place *p = &hot->places[k];

		if (p->function != function)
			continue;
		while (i < nr && v[i].offset < p->offset)
			v[i++].runs = running;
		running += p->begun;
		if (i < nr && v[i].offset == p->offset) {
			v[i].runs = running;
			add_edges(hot, p, &v[i++]);
		}
		running -= p->ended;
	}
	while (i < nr)
		v[i++].runs = running;
	return nr;
}

bool hot_ways(const struct hot *hot, const struct hot_insn *insn, uint64_t *taken,
	      uint64_t *passed)
{
	const struct hot_place *p;
	size_t i;

	if (insn->insn.xfer != RV_XFER_BRANCH)
		return false;
	*taken = 0;
	/* Nothing is told of what is no place, but that it ran and was not taken. */
	*passed = insn->runs;
	if (insn->place == HOT_NO_PLACE)
		return true;
	p = &hot->places[insn->place];
	*passed = hot->passed[insn->place];
	for (i = p->first; i < p[1].first; i++)
		if (hot->edges[i].type == PERF_BR_COND)
			*taken += hot->edges[i].followed;
	return true;
}
