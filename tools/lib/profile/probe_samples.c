// SPDX-License-Identifier: GPL-2.0-only
/* A profile of functions and their probes: what LLVM makes of the counts of each. */
#include "base/array.h"
#include "base/saturate.h"
#include "profile/samples.h"
#include "profile/sweep.h"

#include <stdlib.h>
#include <string.h>

struct make {
	struct prof_samples *s;
	const struct prof *prof;
	const struct prof_probes *probes;
	struct prof_lines *lines; /* NULL: none */
	uint32_t *func_of; /* by scope; PROF_NO_FUNC: not asked for yet */
	size_t at; /* the first probe that is not before the instruction at work */
	size_t nr_off;
};

/* The number of a probe stands for the line; a discriminator is of the probe alone. */
static struct prof_loc loc_of(uint32_t id, uint32_t discriminator)
{
	return (struct prof_loc){ id, discriminator };
}

/*
 * The function of a scope. PROF_NO_FUNC with *failed set: out of memory; without:
 * nothing is known of it, or of what it was inlined in. What was inlined at a call that
 * is not known counts for the function itself.
 */
static uint32_t func_of(struct make *m, uint32_t scope, bool *failed)
{
	const struct prof_probe_scope *sc = &m->probes->scopes[scope];
	struct prof_func f = { .parent = PROF_NO_FUNC };
	const struct prof_probed *func;

	if (m->func_of[scope] != PROF_NO_FUNC || sc->func == PROF_NO_PROBED)
		return m->func_of[scope];
	if (sc->parent != PROF_NO_PROBED && sc->call) {
		f.parent = func_of(m, sc->parent, failed);
		if (f.parent == PROF_NO_FUNC)
			return PROF_NO_FUNC;
		f.call = loc_of(sc->call, 0);
	}
	func = &m->probes->funcs[sc->func];
	f.name = func->name;
	f.checksum = func->checksum;
	m->func_of[scope] = prof_samples_func(m->s, &f);
	*failed = m->func_of[scope] == PROF_NO_FUNC;
	return m->func_of[scope];
}

static bool count_probe(struct make *m, const struct prof_probe *probe,
			uint64_t count)
{
	bool failed = false;
	uint32_t func = func_of(m, probe->scope, &failed), up;

	if (func == PROF_NO_FUNC)
		return !failed;
	for (up = func; up != PROF_NO_FUNC; up = m->s->funcs[up].parent)
		m->s->funcs[up].total = saturate_plus(m->s->funcs[up].total, count);
	if (probe->id == PROF_PROBE_ENTRY)
		m->s->funcs[func].head = saturate_plus(m->s->funcs[func].head, count);
	return prof_samples_add_body(m->s, func,
				     loc_of(probe->id, probe->discriminator),
				     count);
}

/* Instructions come by address, and each once, as probes do. */
static bool count_insn(void *arg, uint64_t addr, unsigned int size,
		       uint64_t count)
{
	struct make *m = arg;
	const struct prof_probes *probes = m->probes;

	while (m->at < probes->nr && probes->v[m->at].addr < addr)
		m->at++;
	for (; m->at < probes->nr && probes->v[m->at].addr == addr; m->at++)
		if (!count_probe(m, &probes->v[m->at], count))
			return false;
	/* Within the instruction no probe can be. */
	for (; m->at < probes->nr && probes->v[m->at].addr < addr + size; m->at++)
		m->nr_off++;
	return true;
}

/* What ran, and what did not run in the functions in which ranges begin. */
static bool count_probes(struct make *m)
{
	const struct prof *prof = m->prof;
	const struct img_symbol *symbol, *last = NULL;
	struct prof_sweep sweep = { 0 };
	bool done = prof_sweep_add_ranges(&sweep, prof);
	size_t i;

	for (i = 0; done && i < prof->nr_ranges; i++) {
		symbol = prof_code_symbol(prof->code, prof->ranges[i].start);
		/* Ranges are in order, so that those of a function follow one another. */
		if (symbol && symbol != last)
			done = prof_sweep_add(&sweep, symbol->start, symbol->end);
		last = symbol;
	}
	done = done && prof_sweep_run(&sweep, prof->code, count_insn, m);
	prof_sweep_free(&sweep);
	return done;
}

/* --- calls --- */

/* The probe of a call's instruction; NULL: none. */
static const struct prof_probe *call_at(const struct prof_probes *probes,
					uint64_t addr)
{
	size_t n = array_upto(probes->v, probes->nr, sizeof(*probes->v), addr);
	const struct prof_probe *call = NULL;

	for (; n && probes->v[n - 1].addr == addr; n--)
		if (probes->v[n - 1].is_call)
			call = &probes->v[n - 1];
	return call;
}

/* Of a discriminator that has a probe's number. */
enum {
	IS_PROBE = 7, /* all of these bits are set */
	PROBE_SHIFT = 3,
	PROBE_MASK = 0xffff,
	/* The number's highest bits are a discriminator as other programs have it. */
	HAS_OTHER = 1 << 28,
	PROBE_MASK_BESIDE = 0x1fff,
};

/*
 * On RISC-V, clang leaves no probe at a call. But it writes the number that the probe
 * would have into the discriminator of the call's line. False: there is none.
 */
static bool probe_of_line(uint32_t discriminator, uint32_t *id)
{
	*id = discriminator >> PROBE_SHIFT &
	      (discriminator & HAS_OTHER ? PROBE_MASK_BESIDE : PROBE_MASK);
	return (discriminator & IS_PROBE) == IS_PROBE && *id;
}

/*
 * The function of a scope of lines, as probes name it. PROF_NO_FUNC: as func_of(), or
 * it was inlined at a call that has no number.
 */
static uint32_t func_of_lines(struct make *m, uint32_t scope, bool *failed)
{
	const struct prof_scope *sc = &m->lines->scopes[scope];
	const char *name = prof_samples_name(m->s, sc->name, PROF_LLVM);
	struct prof_func f = { .parent = PROF_NO_FUNC };
	const struct prof_probed *func;

	*failed = !name;
	func = name ? prof_probed_func(m->probes, prof_probe_guid(name)) : NULL;
	if (!func)
		return PROF_NO_FUNC;
	if (sc->parent != PROF_NO_SCOPE && !prof_name_is_resumed(sc->name)) {
		if (!probe_of_line(sc->call_discriminator, &f.call.offset))
			return PROF_NO_FUNC;
		f.parent = func_of_lines(m, sc->parent, failed);
		if (f.parent == PROF_NO_FUNC)
			return PROF_NO_FUNC;
	}
	f.name = func->name;
	f.checksum = func->checksum;
	scope = prof_samples_func(m->s, &f);
	*failed = scope == PROF_NO_FUNC;
	return scope;
}

/* Where the target of a call counts; target->func is PROF_NO_FUNC: nowhere. */
static void find_call(struct make *m, uint64_t addr, struct prof_target *target,
		      bool *failed)
{
	const struct prof_probe *call = call_at(m->probes, addr);
	const struct prof_span *span;
	uint32_t line, discriminator;

	target->func = PROF_NO_FUNC;
	if (call) {
		target->func = func_of(m, call->scope, failed);
		target->loc = loc_of(call->id, 0);
		return;
	}
	span = m->lines ? prof_lines_span(m->lines, addr) : NULL;
	if (span &&
	    prof_lines_line(m->lines, span->scope, addr, &line, &discriminator) &&
	    probe_of_line(discriminator, &target->loc.offset))
		target->func = func_of_lines(m, span->scope, failed);
}

static bool add_calls(struct make *m)
{
	struct prof_branch b;
	size_t at = 0;

	while (prof_next_branch(m->prof, &at, &b)) {
		struct prof_target target = { .count = b.count };
		bool failed = false;

		if (b.from == PROF_OUTSIDE)
			continue;
		if (!prof_samples_name_target(m->s, m->prof->code, b.to, PROF_LLVM,
					      &target.name))
			return false;
		if (!target.name ||
		    (target.name == prof_unknown_target &&
		     !(m->prof->weighed && prof_code_is_indirect(m->prof->code, b.from))))
			continue;
		find_call(m, b.from, &target, &failed);
		if (failed)
			return false;
		if (target.func != PROF_NO_FUNC &&
		    !prof_samples_add_targets(m->s, m->prof, &b, &target))
			return false;
	}
	return true;
}

int prof_samples_make_by_probe(struct prof_samples *samples,
			       const struct prof *prof,
			       const struct prof_probes *probes,
			       struct prof_lines *lines, size_t *nr_off)
{
	struct make m = { samples, prof, probes, lines, NULL, 0, 0 };
	bool done;

	*samples = (struct prof_samples){
		.by_probe = true,
		.fs = prof_is_flow_sensitive(prof->code),
		.fit = prof->weighed,
	};
	m.func_of = malloc((probes->nr_scopes + 1) * sizeof(*m.func_of));
	if (!m.func_of)
		return PD_ENOMEM;
	memset(m.func_of, 0xff, probes->nr_scopes * sizeof(*m.func_of));
	done = count_probes(&m) && add_calls(&m) && prof_samples_settle(samples);
	free(m.func_of);
	*nr_off = m.nr_off;
	return done ? 0 : PD_ENOMEM;
}

/* Code without a symbol is only the line itself. */
static bool has_probe(const struct prof *prof, const struct prof_probes *probes,
		      const struct prof_range *r)
{
	const struct img_symbol *symbol = prof_code_symbol(prof->code, r->start);
	const uint64_t start = symbol ? symbol->start : r->start;
	const uint64_t last = symbol ? symbol->end - 1 : r->end;
	size_t n = array_upto(probes->v, probes->nr, sizeof(*probes->v), last);

	return n && probes->v[n - 1].addr >= start;
}

uint64_t prof_unprobed(const struct prof *prof, const struct prof_probes *probes)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < prof->nr_ranges; i++)
		if (!has_probe(prof, probes, &prof->ranges[i]) &&
		    !prof_code_in_plt(prof->code, prof->ranges[i].start))
			count += prof->ranges[i].count;
	return count;
}
