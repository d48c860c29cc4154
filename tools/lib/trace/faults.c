// SPDX-License-Identifier: GPL-2.0-only
#include "trace/faults.h"
#include "base/array.h"
#include "riscv/rv_insn.h"

#include <stdlib.h>

/* So often is a path walked at most to compare registers. */
enum { MAX_TRIES = 1 << 16 };

/* An instruction of the path, or a break. */
struct place {
	uint64_t pc;
	uint32_t opcode;
	uint32_t run, offset;
	uint8_t size; /* 0: a break, with anything in it */
};

/* A fault, and where in the path it is. */
struct candidate {
	const struct side_fault *fault;
	unsigned int age; /* faults that were told since */
	size_t first, last; /* it cannot be before or behind these */
	bool certain;
};

struct search {
	const struct faults_path *path;
	struct place *places;
	size_t nr, cap;
	struct candidate v[SIDE_HISTORY_DEPTH]; /* the oldest first */
	unsigned int nr_faults;
	unsigned int tries;
	bool with_regs;
};

static bool add_place(struct search *s, const struct place *place)
{
	if (!array_room(&s->places, s->nr, &s->cap, sizeof(*s->places)))
		return false;
	s->places[s->nr++] = *place;
	return true;
}

static bool add_run(struct search *s, uint32_t index)
{
	const struct path_run *run = &s->path->runs[index];
	struct place place = { .run = index };
	bool ok = true;

	if (!run->nr_insns)
		return add_place(s, &place);
	for (; place.offset < run->size && ok; place.offset += place.size) {
		place.pc = run->pc + place.offset;
		place.size = rv_load(run->code + place.offset, &place.opcode);
		ok = add_place(s, &place);
	}
	/* What ran before a signal: anything may come behind it. */
	return ok && run->why ? add_place(s, &(struct place){ .run = index }) : ok;
}

/* Can the path lead from these registers at one place to those at another? */
static bool leads(struct search *s, const struct rv_regs *regs, size_t from,
		  const struct rv_regs *to_regs, size_t to)
{
	struct rv_regs r = *regs;

	s->tries++;
	for (; from < to; from++) {
		const struct place *p = &s->places[from];

		if (p->size)
			rv_exec(&r, p->pc, p->opcode, p->size);
		else
			r.known = 0;
	}
	return rv_regs_agree(&r, to_regs);
}

/* By the registers: what is known for certain before it and behind it leads there. */
static bool regs_fit(struct search *s, unsigned int i, size_t at)
{
	const struct rv_regs *regs = &s->v[i].fault->regs;
	const struct rv_regs *before = &s->path->before,
			     *after = &s->path->after;
	size_t from = 0, to = s->nr - 1;
	unsigned int k;

	for (k = i; k-- > 0;)
		if (s->v[k].certain) {
			before = &s->v[k].fault->regs;
			from = s->v[k].first;
			break;
		}
	for (k = i + 1; k < s->nr_faults; k++)
		if (s->v[k].certain) {
			after = &s->v[k].fault->regs;
			to = s->v[k].first;
			break;
		}
	return at >= from && at <= to && leads(s, before, from, regs, at) &&
	       leads(s, regs, at, after, to);
}

static bool fits(struct search *s, unsigned int i, size_t at)
{
	const struct place *p = &s->places[at];

	if (s->v[i].certain)
		return at == s->v[i].first;
	if (!p->size)
		return true;
	if (p->pc != s->v[i].fault->pc)
		return false;
	return !s->with_regs || s->tries > MAX_TRIES || regs_fit(s, i, at);
}

/*
 * May an instruction have had both before it was executed once? It was fetched first,
 * or it lies over the end of a page, or the page was not there again.
 */
static bool may_share(const struct side_fault *a, const struct side_fault *b)
{
	enum { PAGE = 4096, MOST = 64 };

	if (a->pc != b->pc || !rv_regs_agree(&a->regs, &b->regs))
		return false;
	return a->addr - a->pc < 4 || a->addr / PAGE == b->addr / PAGE ||
	       (b->addr % PAGE == 0 && b->addr - a->addr < MOST) ||
	       (a->addr % PAGE == 0 && a->addr - b->addr < MOST);
}

/* May fault i + 1 be where fault i is? */
static bool shares(const struct search *s, unsigned int i, size_t at)
{
	return !s->places[at].size ||
	       may_share(s->v[i].fault, s->v[i + 1].fault);
}

/*
 * Where each can be at the earliest, and at the latest, if all are there in their
 * order. False: they cannot be.
 */
static bool narrow(struct search *s)
{
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < s->nr_faults; i++) {
		if (i)
			at += !shares(s, i - 1, at);
		while (at < s->nr && !fits(s, i, at))
			at++;
		if (at >= s->nr)
			return false;
		s->v[i].first = at;
	}
	for (at = s->nr - 1, i = s->nr_faults; i-- > 0;) {
		if (i + 1 < s->nr_faults)
			at -= !shares(s, i, at);
		while (at > s->v[i].first && !fits(s, i, at))
			at--;
		s->v[i].last = at;
	}
	return true;
}

/* Those that can be at one place alone. Returns how many these are. */
static unsigned int settle(struct search *s)
{
	unsigned int i, nr = 0;

	for (i = 0; i < s->nr_faults; i++) {
		struct candidate *c = &s->v[i];

		c->certain = c->first == c->last && s->places[c->first].size;
		nr += c->certain;
	}
	return nr;
}

/* The order alone tells most; then registers, of which each settled one adds more. */
static bool search(struct search *s)
{
	unsigned int before, settled;

	if (!narrow(s))
		return false;
	settled = settle(s);
	s->with_regs = true;
	do {
		before = settled;
		if (!narrow(s))
			return false;
		settled = settle(s);
	} while (settled > before);
	return true;
}

static void take(struct faults_result *result, const struct search *s)
{
	const struct place *end = &s->places[s->nr - 1];
	unsigned int i;

	for (i = 0; i < s->nr_faults; i++) {
		const struct candidate *c = &s->v[i];
		const struct place *p = &s->places[c->first];

		if (c->certain)
			result->v[result->nr++] =
				(struct fault_found){ p->run, p->offset,
						      c->fault->addr };
		else if (p != end)
			result->open += c->first != c->last;
		else if (!result->later)
			result->later = c->age + 1;
	}
}

int faults_find(struct faults_result *result, const struct faults_path *path,
		const struct side_faults *faults)
{
	struct search s = { .path = path };
	unsigned int i, nr = faults->fresh;
	bool ok = true;

	result->nr = result->open = result->later = 0;
	if (nr > SIDE_HISTORY_DEPTH) {
		result->open = nr;
		return 0;
	}
	while (nr--) {
		const struct side_fault *fault = side_fault_at(faults, nr);

		if (!path_is_kernel(fault->pc))
			s.v[s.nr_faults++] =
				(struct candidate){ .fault = fault, .age = nr };
	}
	if (!s.nr_faults)
		return 0;
	for (i = 0; i < path->nr_runs && ok; i++)
		ok = add_run(&s, i);
	if (ok && s.nr && search(&s))
		take(result, &s);
	else
		result->open = s.nr_faults;
	free(s.places);
	return ok ? 0 : PD_ENOMEM;
}
