// SPDX-License-Identifier: GPL-2.0-only
#include "profile/samples.h"
#include "base/array.h"
#include "base/saturate.h"
#include "profile/promoted.h"
#include "profile/resumed.h"
#include "profile/sweep.h"
#include "profile/thunk.h"
#include "riscv/rv_insn.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both compilers cut an offset of lines to so many bits. */
enum { OFFSET_MASK = 0xffff };

struct make {
	struct prof_samples *s;
	const struct prof *prof;
	struct prof_lines *lines;
	enum prof_compiler compiler;
	uint32_t *func_of; /* by scope; PROF_NO_FUNC: not asked for yet */
	uint32_t *copy_of; /* by scope that has a function: the member copy of its bodies */
	bool *is_apart; /* by scope: inlined where it is not looked for */
	struct prof_promoted calls; /* none for GCC and with --raw */
	struct prof_resumed parts; /* what was inlined, and counts for itself; none for GCC */
};

/* LLVM's profile with --raw is that of llvm-profgen. */
static bool is_profgens(const struct make *m)
{
	return m->compiler == PROF_LLVM && !m->prof->weighed;
}

/* --- functions --- */

static uint32_t hash_func(const struct prof_func *f)
{
	uint64_t place = (uint64_t)f->call.offset << 32 | f->call.discriminator;

	return hash_bytes(hash_u64(place + f->parent), f->name,
			  strlen(f->name));
}

static bool same_func(const struct prof_func *a, const struct prof_func *b)
{
	return a->parent == b->parent && a->call.offset == b->call.offset &&
	       a->call.discriminator == b->call.discriminator &&
	       !strcmp(a->name, b->name);
}

/* PROF_NO_FUNC: there is none yet. Its slot is then *slot. */
static uint32_t find_func(const struct prof_samples *s, const struct prof_func *f, uint32_t hash,
			  struct hash_slot **slot)
{
	hash_for_each(&s->by_place, *slot, hash)
		if (same_func(&s->funcs[(*slot)->number - 1], f))
			return (*slot)->number - 1;
	return PROF_NO_FUNC;
}

uint32_t prof_samples_func(struct prof_samples *s, const struct prof_func *f)
{
	uint32_t hash = hash_func(f), func;
	struct hash_slot *slot;

	if (!hash_room(&s->by_place) ||
	    !array_room(&s->funcs, s->nr_funcs, &s->cap_funcs, sizeof(*f)))
		return PROF_NO_FUNC;
	func = find_func(s, f, hash, &slot);
	if (func != PROF_NO_FUNC)
		return func;
	hash_put(&s->by_place, slot, hash, s->nr_funcs);
	s->funcs[s->nr_funcs] = *f;
	return s->nr_funcs++;
}

/*
 * LLVM packs three numbers into a discriminator, from the lowest bit on: its base,
 * how often the line was copied when loops were unrolled or vectorized, and which
 * copy it is. A 1 stands for a number that is 0. Else a 0 is followed by 5 bits and,
 * if the next bit is set, by 7 more. Flow-sensitive ones are one number.
 */
static uint32_t first_number(uint32_t d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t without_first(uint32_t d)
{
	return d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
}

/* The copies of a line count together, though only the largest count is kept. */
static uint32_t copies(const struct make *m, uint32_t discriminator)
{
	uint32_t nr = m->compiler == PROF_LLVM && !m->s->fs ?
			      first_number(without_first(discriminator)) :
			      0;

	return nr ? nr : 1;
}

static struct prof_loc make_loc(const struct make *m, uint32_t line,
				uint32_t first, uint32_t discriminator)
{
	return (struct prof_loc){
		(line - first) & OFFSET_MASK,
		m->compiler == PROF_LLVM && !m->s->fs ?
			first_number(discriminator) :
			discriminator,
	};
}

int prof_compare_locs(struct prof_loc a, struct prof_loc b)
{
	if (a.offset != b.offset)
		return a.offset < b.offset ? -1 : 1;
	return a.discriminator < b.discriminator ?
		       -1 :
		       a.discriminator > b.discriminator;
}

const char *prof_samples_name(struct prof_samples *s, const char *name,
			      enum prof_compiler compiler)
{
	size_t n = prof_name_size(name, compiler);
	char *own;

	if (!name[n])
		return name;
	if (!array_room(&s->names, s->nr_names, &s->cap_names,
			sizeof(*s->names)))
		return NULL;
	own = strndup(name, n);
	if (own)
		s->names[s->nr_names++] = own;
	return own;
}

/*
 * clang gives what a thunk calls line 0, and looks for it there. Elsewhere, it makes such
 * calls out of several only after it has read a profile.
 */
static bool is_behind_thunk(const struct make *m, const struct prof_scope *sc)
{
	return m->compiler == PROF_LLVM && sc->parent != PROF_NO_SCOPE && !sc->call_line &&
	       prof_thunk_rest(m->lines->scopes[sc->parent].name);
}

/*
 * Was the call indirect when clang read the profile? Only virtual tables lead to thunks. If the profile
 * had the function at the call, clang would compare and inline right then. Its comparisons have the
 * line of the call, so clang would give each of them the count of all calls.
 */
static bool is_promoted(const struct make *m, uint32_t scope)
{
	const struct prof_scope *sc = &m->lines->scopes[scope];

	return prof_thunk_rest(sc->name) ||
	       prof_promoted_has(&m->calls, sc->parent,
				 make_loc(m, sc->call_line, 0, sc->call_discriminator));
}

/* Its thunk was not inlined, or counts for itself. */
static bool is_in_entered_thunk(const struct make *m, const struct prof_scope *sc)
{
	return is_behind_thunk(m, sc) &&
	       (m->lines->scopes[sc->parent].parent == PROF_NO_SCOPE || m->is_apart[sc->parent]);
}

/*
 * Find what was inlined where it is not looked for, and so counts for itself. When clang reads the
 * profile, it has not split coroutines into parts. With --raw, what is in a thunk counts for itself,
 * too. Scopes follow those that they were inlined into.
 */
static void set_apart(struct make *m)
{
	const struct prof_lines *lines = m->lines;
	uint32_t i;

	for (i = 0; i < lines->nr_scopes; i++)
		m->is_apart[i] =
			lines->scopes[i].parent != PROF_NO_SCOPE &&
			m->compiler == PROF_LLVM &&
			(prof_is_resumed(m->prof, lines, i) ||
			 (m->prof->weighed ? is_promoted(m, i) :
					     is_in_entered_thunk(m, &lines->scopes[i])));
}

/*
 * The function of a scope. PROF_NO_FUNC with *failed set: out of memory; without:
 * it is not known where it was inlined.
 */
static uint32_t func_of(struct make *m, uint32_t scope, bool *failed)
{
	const struct prof_scope *sc = &m->lines->scopes[scope];
	struct prof_func f = { .file = sc->file, .parent = PROF_NO_FUNC };

	if (m->func_of[scope] != PROF_NO_FUNC)
		return m->func_of[scope];
	if (sc->split)
		return m->func_of[scope] = func_of(m, sc->parent, failed);
	m->copy_of[scope] = m->is_apart[scope] && m->prof->weighed ? scope + 1 : 0;
	if (sc->parent != PROF_NO_SCOPE && !m->is_apart[scope]) {
		if (!sc->call_line && !is_behind_thunk(m, sc))
			return PROF_NO_FUNC;
		f.parent = func_of(m, sc->parent, failed);
		if (f.parent == PROF_NO_FUNC)
			return PROF_NO_FUNC;
		m->copy_of[scope] = m->copy_of[sc->parent];
		f.call = make_loc(m, sc->call_line,
				  m->lines->scopes[sc->parent].line,
				  sc->call_discriminator);
	}
	f.name = prof_samples_name(m->s, sc->name, m->compiler);
	if (f.name)
		m->func_of[scope] = prof_samples_func(m->s, &f);
	*failed = m->func_of[scope] == PROF_NO_FUNC;
	return m->func_of[scope];
}

/* --- instructions --- */

/*
 * A line counts as often as its instruction that ran most often. A probe is at one
 * instruction of a block; at several the block was copied.
 */
static void join_count(const struct prof_samples *s, struct prof_body *to,
		       uint64_t count)
{
	if (s->by_probe)
		to->count = saturate_plus(to->count, count);
	else if (to->count < count)
		to->count = count;
}

static bool add_body(struct prof_samples *s, uint32_t func, uint32_t copy, struct prof_loc loc,
		     uint64_t count)
{
	struct prof_body *last;

	/* One line's instructions mostly follow one another. */
	last = s->nr_bodies ? &s->bodies[s->nr_bodies - 1] : NULL;
	if (last && last->func == func && last->copy == copy &&
	    !prof_compare_locs(last->loc, loc)) {
		join_count(s, last, count);
		return true;
	}
	if (!array_room(&s->bodies, s->nr_bodies, &s->cap_bodies,
			sizeof(*s->bodies)))
		return false;
	s->bodies[s->nr_bodies++] = (struct prof_body){ func, copy, loc, count, 0, 0 };
	return true;
}

bool prof_samples_add_body(struct prof_samples *s, uint32_t func, struct prof_loc loc,
			   uint64_t count)
{
	return add_body(s, func, 0, loc, count);
}

/* An instruction of a function is also one of all that the function was inlined into. */
static void add_to_totals(struct prof_samples *s, uint32_t func, uint64_t count, unsigned int size)
{
	for (; func != PROF_NO_FUNC; func = s->funcs[func].parent)
		s->funcs[func].total =
			saturate_plus(s->funcs[func].total, saturate_times(count, size));
}

/* Count an instruction. False: out of memory. */
static bool add_insn(struct make *m, const struct prof_span *span,
		     uint64_t addr, unsigned int size, uint64_t count)
{
	uint32_t line, discriminator, func, scope = span->scope;
	bool failed = false;

	/* Inlined at no line it has none itself; what it is in has the bytes. */
	while ((func = func_of(m, scope, &failed)) == PROF_NO_FUNC) {
		scope = m->lines->scopes[scope].parent;
		if (failed || scope == PROF_NO_SCOPE)
			return !failed;
	}
	add_to_totals(m->s, func, count, size);
	if (scope != span->scope ||
	    !prof_lines_line(m->lines, scope, addr, &line, &discriminator))
		return true;
	return add_body(m->s, func, m->copy_of[scope],
			make_loc(m, line, m->lines->scopes[scope].line, discriminator),
			saturate_times(count, copies(m, discriminator)));
}

/* What is counted where: the span of the instruction before is mostly its own. */
struct counting {
	struct make *m;
	const struct prof_span *span;
};

static bool count_insn(void *arg, uint64_t addr, unsigned int size,
		       uint64_t count)
{
	struct counting *c = arg;

	prof_resumed_count(&c->m->parts, addr, count);
	if (!c->span || addr - c->span->start >= c->span->end - c->span->start)
		c->span = prof_lines_span(c->m->lines, addr);
	return !c->span || add_insn(c->m, c->span, addr, size, count);
}

static bool note_call(void *arg, uint64_t addr, unsigned int size, uint64_t count)
{
	struct counting *c = arg;
	struct make *m = c->m;
	uint32_t line, discriminator;

	(void)size;
	(void)count;
	if (!prof_code_calls(m->prof->code, addr) || !prof_code_is_indirect(m->prof->code, addr))
		return true;
	c->span = prof_lines_span(m->lines, addr);
	return !c->span ||
	       !prof_lines_line(m->lines, c->span->scope, addr, &line, &discriminator) ||
	       prof_promoted_add(&m->calls, c->span->scope, make_loc(m, line, 0, discriminator));
}

/*
 * All instructions of functions in which ranges start, with how often they ran:
 * those that did not run count 0, which is something else than not known.
 */
static bool add_insns(struct make *m)
{
	const struct prof *prof = m->prof;
	const struct prof_lines *lines = m->lines;
	bool *touched = calloc(lines->nr_scopes + 1, sizeof(*touched));
	struct counting counting = { .m = m };
	struct prof_sweep sweep = { 0 };
	bool done = touched && prof_sweep_add_ranges(&sweep, prof);
	size_t i;

	for (i = 0; done && i < prof->nr_ranges; i++) {
		const uint64_t start = prof->ranges[i].start;
		const uint32_t function = prof_lines_function(lines, start);

		if (function != PROF_NO_SCOPE &&
		    (!is_profgens(m) || prof_lines_span(lines, start)))
			touched[function] = true;
	}
	for (i = 0; done && i < lines->nr_spans; i++) {
		const struct prof_span *span = &lines->spans[i];

		if (touched[prof_lines_outermost(lines, span->scope)])
			done = prof_sweep_add(&sweep, span->start, span->end);
	}
	if (m->compiler == PROF_LLVM && prof->weighed) {
		done = done && prof_sweep_run(&sweep, prof->code, note_call, &counting);
		prof_promoted_sort(&m->calls);
	}
	set_apart(m);
	done = done && prof_resumed_find(&m->parts, prof, lines, m->is_apart) &&
	       prof_sweep_run(&sweep, prof->code, count_insn, &counting);
	prof_sweep_free(&sweep);
	free(touched);
	return done;
}

/* --- calls --- */

bool prof_samples_add_target(struct prof_samples *s,
			     const struct prof_target *target)
{
	if (!array_room(&s->targets, s->nr_targets, &s->cap_targets,
			sizeof(*s->targets)))
		return false;
	s->targets[s->nr_targets++] = *target;
	return true;
}

const char prof_unknown_target[] = "[unknown]";

/*
 * [FILE+OFFSET], the name of what no compiler of this binary has a name for. Nothing in it separates
 * words of a profile. NULL: out of memory.
 */
static const char *name_place(struct prof_samples *s, const char *file, uint64_t offset)
{
	char *own, *c;

	if (!array_room(&s->names, s->nr_names, &s->cap_names, sizeof(*s->names)) ||
	    asprintf(&own, "[%s+%#" PRIx64 "]", basename(file), offset) < 0)
		return NULL;
	for (c = own + 1; c[1]; c++)
		if (!isalnum((unsigned char)*c) && !strchr("+-._", *c))
			*c = '_';
	return s->names[s->nr_names++] = own;
}

/* Several such targets that had one name would outweigh one that has a name. */
static bool add_unknown(struct prof_samples *s, const struct prof *prof,
			const struct prof_branch *b, struct prof_target target)
{
	const struct prof_away *away;
	size_t nr;

	if (b->to != PROF_OUTSIDE) {
		target.name = name_place(s, "unknown", b->to);
		return target.name && prof_samples_add_target(s, &target);
	}
	for (away = prof_aways(prof, b->from, &nr); nr--; away++) {
		const unsigned int number = count_number_of(away->to);
		const struct prof_binary *binary = &prof->binaries[number];

		target.count = away->count;
		target.name = number < PROF_FIRST_BINARY || prof_is_private(binary) ?
				      prof_unknown_target :
				      name_place(s, binary->name, count_offset_of(away->to));
		if (!target.name || !prof_samples_add_target(s, &target))
			return false;
	}
	return true;
}

bool prof_samples_add_targets(struct prof_samples *s, const struct prof *prof,
			      const struct prof_branch *b, const struct prof_target *target)
{
	return target->name == prof_unknown_target ? add_unknown(s, prof, b, *target) :
						     prof_samples_add_target(s, target);
}

bool prof_samples_name_target(struct prof_samples *s, const struct prof_code *code,
			      uint64_t addr, enum prof_compiler compiler, const char **name)
{
	const struct img_symbol *symbol = prof_code_symbol(code, addr);

	*name = NULL;
	if (!symbol) {
		*name = prof_unknown_target;
		return true;
	}
	if (symbol->start != addr || prof_name_is_part(symbol->name))
		return true;
	/* There is no such function yet when LLVM reads the profile. */
	if (compiler == PROF_LLVM && prof_name_is_resumed(symbol->name))
		*name = prof_unknown_target;
	else
		*name = prof_samples_name(s, symbol->name, compiler);
	return *name;
}

/* The function that a branch to this address enters; PROF_NO_SCOPE: none. */
static uint32_t entered(const struct make *m, uint64_t addr)
{
	const struct prof_code *code = m->prof->code;
	const struct img_symbol *symbol = prof_code_symbol(code, addr);

	if (m->compiler == PROF_LLVM && symbol && prof_name_is_resumed(symbol->name))
		return PROF_NO_SCOPE;
	return prof_lines_entered(m->lines, code, addr, is_profgens(m));
}

/*
 * Who enters a thunk enters the function that was inlined into it, too. clang takes a thunk for code
 * that never ran if the profile has nothing of it but what was inlined. So the line of what the thunk
 * calls counts as often as the thunk was entered. False: out of memory.
 */
static bool enter_behind_thunks(struct make *m)
{
	const struct prof_scope *scopes = m->lines->scopes;
	struct prof_func *funcs = m->s->funcs;
	uint32_t i, func, thunk;

	for (i = 0; i < m->lines->nr_scopes; i++) {
		if (!is_in_entered_thunk(m, &scopes[i]))
			continue;
		func = m->func_of[i];
		thunk = m->func_of[scopes[i].parent];
		if (func == PROF_NO_FUNC || thunk == PROF_NO_FUNC)
			continue;
		if (m->is_apart[i])
			funcs[func].head = saturate_plus(funcs[func].head, funcs[thunk].head);
		else if (!prof_samples_add_body(m->s, thunk, funcs[func].call, funcs[thunk].head))
			return false;
	}
	return true;
}

/*
 * GCC gets from the virtual table what it compares with, which is the thunk and not the
 * function in it.
 */
static bool is_gcc_thunk(const struct make *m, uint64_t addr)
{
	const struct img_symbol *symbol = prof_code_symbol(m->prof->code, addr);

	return m->compiler != PROF_LLVM && symbol && symbol->start == addr &&
	       prof_thunk_rest(symbol->name);
}

/*
 * Name what a branch enters: func, or what is not in the profile if func is PROF_NO_FUNC. If such
 * targets of an indirect call were missing, compilers would take the other ones for all. But with
 * --raw, LLVM's profile is that of llvm-profgen, which leaves them out. target->name is NULL if
 * nothing is entered. False: out of memory.
 */
static bool name_target(struct make *m, const struct prof_branch *b, uint32_t func,
			struct prof_target *target)
{
	const struct prof_code *code = m->prof->code;

	target->indirect = prof_code_is_indirect(code, b->from);
	if (func != PROF_NO_FUNC && !is_gcc_thunk(m, b->to)) {
		target->name = m->s->funcs[func].name;
		return true;
	}
	target->name = NULL;
	if (func == PROF_NO_FUNC &&
	    (!target->indirect || is_profgens(m) ||
	     (prof_lines_span(m->lines, b->to) && !prof_code_symbol(code, b->to))))
		return true;
	return prof_samples_name_target(m->s, code, b->to, m->compiler, &target->name);
}

static bool add_calls(struct make *m)
{
	struct prof_lines *lines = m->lines;
	uint64_t last = PROF_OUTSIDE, calls = 0;
	struct prof_branch b;
	size_t at = 0;

	while (prof_next_branch(m->prof, &at, &b)) {
		uint32_t callee = entered(m, b.to);
		uint32_t func = PROF_NO_FUNC, line, disc;
		const struct prof_span *span;
		struct prof_target target = { .count = b.count };
		bool failed = false;

		if (callee != PROF_NO_SCOPE) {
			func = func_of(m, callee, &failed);
			if (func == PROF_NO_FUNC)
				return false;
			m->s->funcs[func].head += b.count;
		}
		if (b.from == PROF_OUTSIDE)
			continue;
		if (!name_target(m, &b, func, &target))
			return false;
		if (!target.name)
			continue;
		span = prof_lines_span(lines, b.from);
		if (!span || !prof_lines_line(lines, span->scope, b.from,
					      &line, &disc))
			continue;
		func = func_of(m, span->scope, &failed);
		if (failed)
			return false;
		if (func == PROF_NO_FUNC)
			continue;
		target.func = func;
		target.loc = make_loc(m, line, lines->scopes[span->scope].line, disc);
		/* Branches come by where they are from: those of a call together. */
		calls = b.from == last ? calls + b.count : b.count;
		last = b.from;
		if (!prof_samples_add_targets(m->s, m->prof, &b, &target) ||
		    (m->s->calls_apart &&
		     !prof_samples_add_body(m->s, func, target.loc, calls)))
			return false;
	}
	return true;
}

/* A call that the binary does not have counts as one instruction of the fewest bytes. */
enum { CALL_SIZE = 2 };

/*
 * The target of an indirect call that clang sees instead of what is inlined there. A part of a coroutine
 * has no name yet. Only who calls the coroutine itself enters it. False: out of memory.
 */
static bool enter_part(struct make *m, const struct prof_resumed_part *part, const char **name)
{
	bool failed = false;
	uint32_t func;

	if (prof_is_resumed(m->prof, m->lines, part->scope)) {
		*name = name_place(m->s, "unknown", part->addr);
		return *name;
	}
	func = func_of(m, part->scope, &failed);
	if (func == PROF_NO_FUNC)
		return false;
	m->s->funcs[func].head = saturate_plus(m->s->funcs[func].head, part->count);
	*name = m->s->funcs[func].name;
	return true;
}

/*
 * clang takes a call without a target for cold, and looks into no function whose total is 0. Where it
 * inlined what counts for itself, the call is there and indirect when clang reads the profile.
 * False: out of memory.
 */
static bool add_parts(struct make *m)
{
	const struct prof_resumed_part *part = m->parts.v, *end = part + m->parts.nr;

	for (; part < end; part++) {
		const struct prof_scope *sc = &m->lines->scopes[part->scope];
		struct prof_target target = { .count = part->count, .indirect = true };
		bool failed = false;

		if (!part->count)
			continue;
		if (!enter_part(m, part, &target.name))
			return false;
		if (!sc->call_line)
			continue;
		target.func = func_of(m, sc->parent, &failed);
		if (failed)
			return false;
		if (target.func == PROF_NO_FUNC)
			continue;
		target.loc = make_loc(m, sc->call_line, m->lines->scopes[sc->parent].line,
				      sc->call_discriminator);
		if (!prof_samples_add_target(m->s, &target))
			return false;
		add_to_totals(m->s, target.func, part->count, CALL_SIZE);
	}
	return true;
}

/* Where a function begins and returns, by the code that was not inlined. */
struct ends {
	bool wanted, entered;
	unsigned int returns; /* with different places */
	struct prof_loc entry, back;
};

static void find_ends_of(const struct make *m, const struct prof_span *span, struct ends *ends)
{
	const struct prof_code *code = m->prof->code;
	const struct prof_scope *sc = &m->lines->scopes[span->scope];
	uint32_t line, discriminator;
	struct prof_loc loc;
	uint64_t at;
	unsigned int size;

	for (at = span->start; at < span->end && (size = prof_code_insn_size(code, at)); at += size) {
		const bool returns = prof_code_returns(code, at);

		if ((at != sc->start && !returns) ||
		    !prof_lines_line(m->lines, span->scope, at, &line, &discriminator))
			continue;
		loc = make_loc(m, line, sc->line, discriminator);
		if (at == sc->start) {
			ends->entry = loc;
			ends->entered = true;
		}
		if (returns && (!ends->returns || prof_compare_locs(ends->back, loc))) {
			ends->back = loc;
			ends->returns++;
		}
	}
}

/* Was a function inlined there, and not a part of a coroutine, which is none when clang reads the profile? */
static bool is_function(const struct make *m, const struct prof_resumed_part *part)
{
	return part->count && !prof_is_resumed(m->prof, m->lines, part->scope);
}

/* False: out of memory. */
static bool find_ends(const struct make *m, struct ends *ends)
{
	const struct prof_lines *lines = m->lines;
	struct prof_func f = { .parent = PROF_NO_FUNC };
	uint32_t func = PROF_NO_FUNC, last = PROF_NO_SCOPE;
	struct hash_slot *slot;
	size_t i;

	for (i = 0; i < lines->nr_spans; i++) {
		const uint32_t scope = lines->spans[i].scope;

		if (lines->scopes[scope].parent != PROF_NO_SCOPE)
			continue;
		if (scope != last) {
			f.name = prof_samples_name(m->s, lines->scopes[scope].name, m->compiler);
			if (!f.name)
				return false;
			func = find_func(m->s, &f, hash_func(&f), &slot);
			last = scope;
		}
		if (func != PROF_NO_FUNC && ends[func].wanted)
			find_ends_of(m, &lines->spans[i], &ends[func]);
	}
	return true;
}

/*
 * An inlined copy has no code for where the function is entered and where it returns. Without a count
 * there, clang makes up one. False: out of memory.
 */
static bool add_ends(struct make *m)
{
	const struct prof_resumed_part *part, *end = m->parts.v + m->parts.nr;
	struct ends *ends = calloc(m->s->nr_funcs + 1, sizeof(*ends));
	bool done = ends, any = false;

	for (part = m->parts.v; done && part < end; part++)
		if (is_function(m, part))
			any = ends[m->func_of[part->scope]].wanted = true;
	done = done && (!any || find_ends(m, ends));
	for (part = m->parts.v; done && any && part < end; part++) {
		const uint32_t func = m->func_of[part->scope], copy = m->copy_of[part->scope];

		if (!is_function(m, part))
			continue;
		if (ends[func].entered)
			done = add_body(m->s, func, copy, ends[func].entry, part->count);
		if (done && ends[func].returns == 1)
			done = add_body(m->s, func, copy, ends[func].back, part->count);
	}
	free(ends);
	return done;
}

/* --- order --- */

static int by_place(uint32_t a_func, struct prof_loc a, uint32_t b_func,
		    struct prof_loc b)
{
	if (a_func != b_func)
		return a_func < b_func ? -1 : 1;
	return prof_compare_locs(a, b);
}

static int body_order(const void *va, const void *vb)
{
	const struct prof_body *a = va, *b = vb;
	int ret = by_place(a->func, a->loc, b->func, b->loc);

	return ret || a->copy == b->copy ? ret : a->copy < b->copy ? -1 : 1;
}

static int target_name_order(const void *va, const void *vb)
{
	const struct prof_target *a = va, *b = vb;
	int ret = by_place(a->func, a->loc, b->func, b->loc);

	return ret ? ret : strcmp(a->name, b->name);
}

static int target_order(const void *va, const void *vb)
{
	const struct prof_target *a = va, *b = vb;
	int ret = by_place(a->func, a->loc, b->func, b->loc);

	if (!ret && a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return ret ? ret : strcmp(a->name, b->name);
}

/* A function and the number it had. */
struct ranked {
	struct prof_func f;
	uint32_t was;
};

static int func_order(const void *va, const void *vb)
{
	const struct prof_func *a = &((const struct ranked *)va)->f;
	const struct prof_func *b = &((const struct ranked *)vb)->f;
	int ret;

	/* PROF_NO_FUNC + 1 is 0: what was not inlined comes first. */
	if (a->parent != b->parent)
		return a->parent + 1 < b->parent + 1 ? -1 : 1;
	if (a->parent == PROF_NO_FUNC && a->total != b->total)
		return a->total > b->total ? -1 : 1;
	ret = prof_compare_locs(a->call, b->call);
	return ret ? ret : strcmp(a->name, b->name);
}

/*
 * Sort the functions and number them anew. Parents are told by their old numbers,
 * by which alone the children of each stand together.
 */
static bool sort_funcs(struct prof_samples *s)
{
	struct ranked *v = malloc((s->nr_funcs + 1) * sizeof(*v));
	uint32_t *now = malloc((s->nr_funcs + 1) * sizeof(*now));
	size_t i;

	if (!v || !now) {
		free(v);
		free(now);
		return false;
	}
	for (i = 0; i < s->nr_funcs; i++)
		v[i] = (struct ranked){ s->funcs[i], i };
	qsort(v, s->nr_funcs, sizeof(*v), func_order);
	for (i = 0; i < s->nr_funcs; i++)
		now[v[i].was] = i;
	for (i = 0; i < s->nr_funcs; i++) {
		s->funcs[i] = v[i].f;
		if (v[i].f.parent == PROF_NO_FUNC)
			s->nr_top = i + 1;
		else
			s->funcs[i].parent = now[v[i].f.parent];
	}
	for (i = s->nr_top; i < s->nr_funcs; i++) {
		struct prof_func *parent = &s->funcs[s->funcs[i].parent];

		if (!parent->nr_children++)
			parent->children = i;
	}
	for (i = 0; i < s->nr_bodies; i++)
		s->bodies[i].func = now[s->bodies[i].func];
	for (i = 0; i < s->nr_targets; i++)
		s->targets[i].func = now[s->targets[i].func];
	free(v);
	free(now);
	return true;
}

/* A call's instruction has a body, even if no range ended there. */
static bool add_target_bodies(struct prof_samples *s)
{
	size_t i;

	for (i = 0; i < s->nr_targets; i++)
		if (!prof_samples_add_body(s, s->targets[i].func,
					   s->targets[i].loc, 0))
			return false;
	return true;
}

/* What counts for itself counts for its function, with that elsewhere. */
static void join_copies(struct prof_samples *s)
{
	size_t i, nr = 0;

	for (i = 0; i < s->nr_bodies; i++) {
		struct prof_body *last = &s->bodies[nr - 1], *b = &s->bodies[i];

		if (!nr || by_place(last->func, last->loc, b->func, b->loc))
			s->bodies[nr++] = *b;
		else
			last->count = saturate_plus(last->count, b->count);
	}
	s->nr_bodies = nr;
}

static void join_bodies(struct prof_samples *s)
{
	size_t i, nr = 0, t = 0;

	if (s->nr_bodies)
		qsort(s->bodies, s->nr_bodies, sizeof(*s->bodies), body_order);
	for (i = 0; i < s->nr_bodies; i++) {
		struct prof_body *last = &s->bodies[nr - 1], *b = &s->bodies[i];

		if (!nr || body_order(last, b))
			s->bodies[nr++] = *b;
		else
			join_count(s, last, b->count);
	}
	s->nr_bodies = nr;
	join_copies(s);
	nr = s->nr_bodies;
	for (i = 0; i < nr; i++) {
		struct prof_body *b = &s->bodies[i];
		struct prof_func *f = &s->funcs[b->func];
		uint64_t calls = 0;

		if (!f->nr_body++)
			f->body = i;
		b->targets = t;
		while (t < s->nr_targets && s->targets[t].func == b->func &&
		       !prof_compare_locs(s->targets[t].loc, b->loc))
			calls += s->targets[t++].count;
		b->nr_targets = t - b->targets;
		/* With the oldest transfer of a stack no line before it came. */
		if (b->count < calls && !s->calls_apart)
			b->count = calls;
	}
}

static void join_targets(struct prof_samples *s)
{
	size_t i, nr = 0;

	if (!s->nr_targets)
		return;
	qsort(s->targets, s->nr_targets, sizeof(*s->targets),
	      target_name_order);
	for (i = 0; i < s->nr_targets; i++) {
		if (nr && !target_name_order(&s->targets[nr - 1],
					     &s->targets[i]))
			s->targets[nr - 1].count += s->targets[i].count;
		else
			s->targets[nr++] = s->targets[i];
	}
	s->nr_targets = nr;
	qsort(s->targets, nr, sizeof(*s->targets), target_order);
}

/* What ran at all is not 0 afterwards. */
static void divide(uint64_t *count, uint64_t by)
{
	*count = *count / by + !!(*count % by);
}

/*
 * LLVM gives branches weights of 32 bits, and the largest one to all counts that need more: two such
 * counts are the same to it. One bit is left for sums of counts. Else LLVM looks at nothing but how
 * counts relate.
 */
static void fit_counts(struct prof_samples *s)
{
	uint64_t most = 0, by;
	size_t i;

	for (i = 0; i < s->nr_bodies; i++)
		if (s->bodies[i].count > most)
			most = s->bodies[i].count;
	by = most / INT32_MAX + 1;
	for (i = 0; i < s->nr_bodies; i++)
		divide(&s->bodies[i].count, by);
	for (i = 0; i < s->nr_targets; i++)
		divide(&s->targets[i].count, by);
	for (i = 0; i < s->nr_funcs; i++) {
		/* The largest number stands for all that need more than 64 bits. */
		if (s->funcs[i].total != UINT64_MAX)
			divide(&s->funcs[i].total, by);
		divide(&s->funcs[i].head, by);
	}
}

bool prof_samples_settle(struct prof_samples *s)
{
	if (!add_target_bodies(s) || !sort_funcs(s))
		return false;
	join_targets(s);
	join_bodies(s);
	if (s->fit)
		fit_counts(s);
	return true;
}

int prof_samples_make(struct prof_samples *samples, const struct prof *prof,
		      struct prof_lines *lines, enum prof_compiler compiler)
{
	struct make m = { .s = samples, .prof = prof, .lines = lines, .compiler = compiler };
	const size_t nr = lines->nr_scopes + 1;
	bool done;

	*samples = (struct prof_samples){
		.calls_apart = compiler != PROF_LLVM,
		.fs = compiler == PROF_LLVM && prof_is_flow_sensitive(prof->code),
		.fit = compiler == PROF_LLVM && prof->weighed,
	};
	m.func_of = malloc(nr * sizeof(*m.func_of));
	m.copy_of = calloc(nr, sizeof(*m.copy_of));
	m.is_apart = calloc(nr, sizeof(*m.is_apart));
	done = m.func_of && m.copy_of && m.is_apart;
	if (done)
		memset(m.func_of, 0xff, nr * sizeof(*m.func_of));
	done = done && add_insns(&m) && add_calls(&m) && add_parts(&m) && add_ends(&m) &&
	       enter_behind_thunks(&m) && prof_samples_settle(samples);
	free(m.calls.v);
	free(m.parts.v);
	free(m.is_apart);
	free(m.copy_of);
	free(m.func_of);
	return done ? 0 : PD_ENOMEM;
}

void prof_samples_free(struct prof_samples *samples)
{
	while (samples->nr_names)
		free(samples->names[--samples->nr_names]);
	free(samples->names);
	free(samples->funcs);
	free(samples->bodies);
	free(samples->targets);
	hash_free(&samples->by_place);
	*samples = (struct prof_samples){ 0 };
}
