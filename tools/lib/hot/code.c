// SPDX-License-Identifier: GPL-2.0-only
/* The code of loops, and how often each of its instructions ran. */
#include "hot/internal.h"

static size_t decode(const struct hot *hot, const struct hot_loop *loop,
		     struct hot_insn *v, size_t room)
{
	const struct hot_place *first = &hot->places[loop->first];
	const uint64_t last = hot->places[loop->last].offset;
	uint64_t at = first->offset, left;
	const uint8_t *code = path_code_bytes(hot->code, &first->at, &left);
	size_t nr;
	int size;

	for (nr = 0; code && nr < room && at <= last; nr++) {
		v[nr] = (struct hot_insn){ .offset = at };
		size = rv_decode(&v[nr].insn, code, left, 0);
		if (size < 0)
			break;
		code += size;
		left -= size;
		at += size;
	}
	return nr;
}

static void add_edges(const struct hot *hot, const struct hot_place *p,
		      struct hot_insn *insn)
{
	size_t i;

	for (i = p->first; i < p[1].first; i++) {
		const struct hot_edge *e = &hot->edges[i];

		insn->taken += e->count;
		if (!insn->edge || e->count > insn->edge->count)
			insn->edge = e;
	}
}

size_t hot_loop_code(const struct hot *hot, const struct hot_loop *loop,
		     struct hot_insn *v, size_t room)
{
	const uint32_t function = function_of(hot, loop->head);
	size_t nr = decode(hot, loop, v, room), i = 0, k;
	uint64_t running = 0;

	for (k = 0; k < hot->nr_places; k++) {
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
