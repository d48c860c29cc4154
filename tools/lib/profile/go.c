// SPDX-License-Identifier: GPL-2.0-only
/*
 * Go's compiler knows a call by its function, the lines from there to the call, and the called
 * function. It takes these from the last two frames of samples.
 */
#include "profile/go.h"
#include "base/array.h"
#include "base/saturate.h"
#include "profile/sweep.h"

#include <stdlib.h>
#include <string.h>

struct call {
	uint32_t caller, callee; /* functions of pprof */
	uint32_t line;
	uint64_t count;
};

/* The first instruction of an inlined function. */
struct entry {
	uint64_t addr;
	uint32_t scope;
};

struct make {
	struct pprof *p;
	const struct prof *prof;
	struct prof_lines *lines;
	struct call *calls;
	size_t nr_calls, cap_calls;
	struct entry *entries; /* by address */
	size_t nr_entries, cap_entries;
	size_t at; /* the next of them */
};

static uint32_t function_of(struct make *m, uint32_t scope)
{
	const struct prof_scope *sc = &m->lines->scopes[scope];

	return pprof_function(m->p, sc->name, sc->name, sc->file ?: "", sc->line);
}

/* False: out of memory. */
static bool add(struct make *m, uint32_t caller, uint32_t line, uint32_t callee, uint64_t count)
{
	if (!array_room(&m->calls, m->nr_calls, &m->cap_calls, sizeof(*m->calls)))
		return false;
	m->calls[m->nr_calls++] =
		(struct call){ function_of(m, caller), callee, line, count };
	return !m->p->failed;
}

/* --- calls that were made --- */

/* Go's linker puts "NAME-trampN" where a call does not reach NAME. 0: it is no such place. */
static uint32_t through_trampoline(struct make *m, uint64_t addr)
{
	const struct img_symbol *symbol = prof_code_symbol(m->prof->code, addr);
	const char *end = symbol && symbol->start == addr ? strstr(symbol->name, "-tramp") : NULL;
	uint32_t function;
	char *name;

	if (!end)
		return 0;
	name = strndup(symbol->name, end - symbol->name);
	m->p->failed |= !name;
	function = name ? pprof_function(m->p, name, name, "", 0) : 0;
	free(name);
	return function;
}

/* The function of pprof that a call leads to. 0: none that is known. */
static uint32_t called(struct make *m, const struct prof_branch *b)
{
	uint32_t scope;

	if (b->from == PROF_OUTSIDE || b->to == PROF_OUTSIDE || !b->count ||
	    !prof_code_calls(m->prof->code, b->from))
		return 0;
	scope = prof_lines_entered(m->lines, m->prof->code, b->to, false);
	return scope == PROF_NO_SCOPE ? through_trampoline(m, b->to) : function_of(m, scope);
}

static bool add_calls(struct make *m)
{
	uint32_t callee, line, discriminator;
	struct prof_branch b;
	size_t at = 0;

	while (prof_next_branch(m->prof, &at, &b)) {
		const struct prof_span *span = prof_lines_span(m->lines, b.from);

		if (span && prof_lines_line(m->lines, span->scope, b.from, &line, &discriminator) &&
		    (callee = called(m, &b)) && !add(m, span->scope, line, callee, b.count))
			return false;
	}
	return !m->p->failed;
}

/* --- calls that were inlined --- */

/* Where each inlined function begins, and so what it was inlined into. */
static bool find_entries(struct make *m)
{
	const struct prof_lines *lines = m->lines;
	bool *seen = calloc(lines->nr_scopes + 1, sizeof(*seen)), done = seen;
	size_t i;

	for (i = 0; done && i < lines->nr_spans; i++) {
		uint32_t s = lines->spans[i].scope;

		for (; done && !seen[s] && lines->scopes[s].parent != PROF_NO_SCOPE;
		     s = lines->scopes[s].parent) {
			seen[s] = true;
			done = array_room(&m->entries, m->nr_entries, &m->cap_entries,
					  sizeof(*m->entries));
			if (done)
				m->entries[m->nr_entries++] =
					(struct entry){ lines->spans[i].start, s };
		}
	}
	free(seen);
	return done;
}

static bool count_insn(void *arg, uint64_t addr, unsigned int size, uint64_t count)
{
	struct make *m = arg;

	(void)size;
	for (; m->at < m->nr_entries && m->entries[m->at].addr <= addr; m->at++) {
		const uint32_t scope = m->entries[m->at].scope;
		const struct prof_scope *sc = &m->lines->scopes[scope];

		if (m->entries[m->at].addr == addr && count && sc->call_line && !sc->split &&
		    !add(m, sc->parent, sc->call_line, function_of(m, scope), count))
			return false;
	}
	return true;
}

static bool add_inlined(struct make *m)
{
	struct prof_sweep sweep = { 0 };
	bool done = find_entries(m) && prof_sweep_add_ranges(&sweep, m->prof) &&
		    prof_sweep_run(&sweep, m->prof->code, count_insn, m);

	prof_sweep_free(&sweep);
	return done;
}

/* --- the profile --- */

static int call_order(const void *va, const void *vb)
{
	const struct call *a = va, *b = vb;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static void join_calls(struct make *m)
{
	size_t i, nr = 0;

	if (m->nr_calls)
		qsort(m->calls, m->nr_calls, sizeof(*m->calls), call_order);
	for (i = 0; i < m->nr_calls; i++) {
		if (nr && !call_order(&m->calls[nr - 1], &m->calls[i]))
			m->calls[nr - 1].count =
				saturate_plus(m->calls[nr - 1].count, m->calls[i].count);
		else
			m->calls[nr++] = m->calls[i];
	}
	m->nr_calls = nr;
}

static uint32_t add_location(struct pprof *p, uint32_t function, uint32_t line)
{
	const uint32_t location = pprof_location(p, 0, 0);

	if (!p->failed)
		pprof_line(p, function, line);
	return location;
}

/* False: out of memory. */
static bool add_samples(struct make *m)
{
	struct pprof *p = m->p;
	uint32_t *entered = calloc(p->nr_functions + 1, sizeof(*entered));
	uint32_t frames[2] = { 0 };
	size_t i;

	for (i = 0; entered && i < m->nr_calls; i++) {
		const struct call *c = &m->calls[i];
		const uint64_t count = c->count < INT64_MAX ? c->count : INT64_MAX;

		if (!i || c[-1].caller != c->caller || c[-1].line != c->line)
			frames[1] = add_location(p, c->caller, c->line);
		if (!entered[c->callee])
			entered[c->callee] = add_location(p, c->callee,
							  p->functions[c->callee - 1].start);
		frames[0] = entered[c->callee];
		pprof_sample(p, frames, 2, &count);
	}
	free(entered);
	return entered && !p->failed;
}

int prof_go_make(struct pprof *p, const struct prof *prof, struct prof_lines *lines)
{
	struct make m = { .p = p, .prof = prof, .lines = lines };
	bool done;

	/* Go finds its values by these names. */
	pprof_type(p, "samples", "count");
	done = add_calls(&m) && add_inlined(&m);
	if (done) {
		join_calls(&m);
		done = add_samples(&m);
	}
	free(m.calls);
	free(m.entries);
	return done ? 0 : PD_ENOMEM;
}

int prof_go_write(struct pprof *p, FILE *file)
{
	struct pb message = { 0 };
	const bool done = pprof_encode(p, &message);

	if (done)
		fwrite(message.v, 1, message.nr, file);
	free(message.v);
	return done ? 0 : PD_ENOMEM;
}
