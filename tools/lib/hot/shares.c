// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shares of loops. From the lines that began and ended at the places of a function follows
 * how often each of its instructions ran. A place is in its loop; what lies between two places
 * is in the loop that both are in.
 */
#include "hot/internal.h"

/* A function at work. */
struct function {
	struct hot *hot;
	uint32_t number;
	const uint8_t *code; /* from its first place on; NULL: not known */
	uint64_t start, len; /* the offset of this place, and the bytes of code */
	double insns; /* that ran */
};

/* The instructions from one place up to the next one; of unknown code, as many as are usual. */
static double count_insns(const struct function *f, uint32_t from, uint32_t to)
{
	enum { INSN_BYTES = 3 };
	const struct hot_place *p = f->hot->places;
	const uint64_t at = p[from].offset - f->start, size = p[to].offset - p[from].offset;

	if (f->code && at + size <= f->len)
		return rv_count_insns(f->code + at, size) ?: 1;
	return size > INSN_BYTES ? (double)size / INSN_BYTES : 1;
}

static void add_insns(struct function *f, uint32_t loop, double insns)
{
	f->insns += insns;
	if (loop != HOT_NO_LOOP)
		f->hot->loops[loop].share += insns;
}

static void add_places(struct function *f)
{
	const struct hot *hot = f->hot;
	const struct hot_function *function = &hot->functions[f->number];
	uint32_t i, before = function->first;
	uint64_t running = 0; /* lines that go on from the place before */

	for (i = before; i <= function->last; i++) {
		const struct hot_place *p = &hot->places[i];
		const uint32_t loop = hot->in_loop[i];

		/* A function that lies in this one has no part in its loops. */
		if (p->function != f->number)
			continue;
		if (running) {
			add_insns(f, hot->in_loop[before], (double)running);
			add_insns(f, hot_loop_of_both(hot, hot->in_loop[before], loop),
				  (double)running * (count_insns(f, before, i) - 1));
		}
		add_insns(f, loop, (double)p->ended);
		running += p->begun - p->ended;
		before = i;
	}
}

/*
 * The function's loops, from number first up to end. Its own share is by the lengths of its lines.
 * These are what is found here, if the code is known.
 */
static void share_function(struct hot *hot, uint32_t number, size_t first, size_t end)
{
	const struct hot_place *start = &hot->places[hot->functions[number].first];
	const double share = hot->functions[number].share;
	struct function f = { .hot = hot, .number = number, .start = start->offset };
	size_t i;

	f.code = path_code_bytes(hot->code, &start->at, &f.len);
	add_places(&f);
	if (!f.code)
		hot->unread += share;
	for (i = end; i-- > first;) {
		const struct hot_loop *l = &hot->loops[i];

		/* Those in it come after it. */
		if (l->outer != HOT_NO_LOOP)
			hot->loops[l->outer].share += l->share;
	}
	for (i = first; i < end && f.insns > 0; i++)
		hot->loops[i].share *= share / f.insns;
}

void hot_find_shares(struct hot *hot)
{
	size_t first, end;

	for (first = 0; first < hot->nr_loops; first = end) {
		const uint32_t function = function_of(hot, hot->loops[first].head);

		for (end = first + 1; end < hot->nr_loops; end++)
			if (function_of(hot, hot->loops[end].head) != function)
				break;
		share_function(hot, function, first, end);
	}
}
