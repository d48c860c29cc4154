// SPDX-License-Identifier: GPL-2.0-only
#include "calls/calls.h"
#include "base/array.h"
#include "base/saturate.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* As image/inlines.c has it. */
enum { MAX_INLINED = 64 };

void calls_begin(struct calls *calls, struct path_code *code)
{
	*calls = (struct calls){ .code = code, .reach.code = code };
	path_code_show_names(code);
}

void calls_free(struct calls *calls)
{
	free(calls->functions);
	img_demangler_free(calls->demangler);
	free(calls->lines);
	free(calls->frames);
	free(calls->stacks);
	free(calls->chains);
	calls_reach_free(&calls->reach);
	hash_free(&calls->frame_index);
	hash_free(&calls->stack_index);
	*calls = (struct calls){ 0 };
}

/* --- counting --- */

/* The addresses of a sample's call stack, the innermost first. */
struct chain {
	uint64_t v[CALLS_MAX_FRAMES];
	uint32_t nr;
	bool deeper; /* than there is room for */
};

static void add(struct chain *chain, uint64_t addr)
{
	if (chain->nr < CALLS_MAX_FRAMES)
		chain->v[chain->nr++] = addr;
	else
		chain->deeper = true;
}

/* Marks of the kernel's among the addresses: what follows is of the kernel, of the user. */
static bool is_context(uint64_t addr)
{
	return addr >= (uint64_t)PERF_CONTEXT_MAX;
}

/*
 * The mark of a user's part that the kernel finds later (Linux 6.19 and newer). It stands
 * last, with a number behind it that tells which part, and is no address.
 */
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)

/*
 * What the kernel found, with as many places of the user's part as are wanted. A return
 * address is that of the instruction behind the call, which may be of another function.
 */
static void add_found(struct chain *chain, const struct pd_sample *s, uint64_t of_user)
{
	uint64_t i, wanted = UINT64_MAX;
	bool innermost = true;

	for (i = 0; i < s->nr_chain; i++) {
		uint64_t addr;

		memcpy(&addr, s->chain + 8 * i, sizeof(addr));
		if (addr == CONTEXT_USER_DEFERRED)
			break;
		if (is_context(addr)) {
			wanted = addr == (uint64_t)PERF_CONTEXT_KERNEL ? UINT64_MAX : of_user;
			innermost = true;
			continue;
		}
		if (wanted) {
			add(chain, innermost ? addr : addr - 1);
			wanted--;
		}
		innermost = false;
	}
}

/* The hart's: the calls that have not returned, the last one first. */
static void add_recorded(struct chain *chain, const struct pd_sample *s)
{
	unsigned int i;

	/* In the kernel, the user's code is where the last call led. */
	add(chain, path_is_kernel(s->ip) ? pd_branch_at(s, 0).to : s->ip);
	for (i = 0; i < s->nr_branches; i++)
		add(chain, pd_branch_at(s, i).from);
}

static bool is_harts(const struct pd_event *ev)
{
	return pd_attr_has_call_stacks(ev->attr);
}

static void find_chain(struct chain *chain, const struct pd_event *ev)
{
	const struct pd_sample *s = &ev->sample;
	const bool recorded = s->nr_branches && is_harts(ev);

	chain->nr = 0;
	chain->deeper = false;
	if (recorded && path_is_kernel(s->ip) && !s->nr_chain)
		add(chain, s->ip);
	/*
	 * A program whose calls the hart records needs no frame pointers. If the hart has none
	 * of its calls, all that the kernel knows is where it is.
	 */
	add_found(chain, s, is_harts(ev) ? !recorded : UINT64_MAX);
	/* The kernel's part, if there is one, comes before what called it. */
	if (recorded) {
		if (!path_is_kernel(s->ip))
			chain->nr = 0;
		add_recorded(chain, s);
	}
}

/*
 * Count the sample if the hart has a call of a function that cannot be where the next call
 * was made, or where control is. A stack of the program was left, and its calls were not.
 * False: out of memory.
 */
static bool count_wrong(struct calls *calls, const struct pd_event *ev)
{
	const struct pd_sample *s = &ev->sample;
	/* Where control is in the kernel is not known of the program. */
	unsigned int i = path_is_kernel(s->ip);
	int can_be = 1;

	for (; i < s->nr_branches && can_be > 0; i++) {
		const uint64_t now = i ? pd_branch_at(s, i - 1).from : s->ip;
		const struct path_place at = path_code_place(calls->code, ev->pid, now),
			called = path_code_place(calls->code, ev->pid, pd_branch_at(s, i).to);

		can_be = calls_reach(&calls->reach, &called, &at);
	}
	calls->wrong += !can_be;
	return can_be >= 0;
}

/* Its number, or UINT32_MAX: out of memory. */
static uint32_t frame_of(struct calls *calls, struct path_place at)
{
	const uint32_t hash = hash_u64(at.offset + (uintptr_t)at.dso + (uintptr_t)at.perf_map);
	struct hash_slot *slot;

	if (!hash_room(&calls->frame_index) ||
	    !array_room(&calls->frames, calls->nr_frames, &calls->cap_frames,
			sizeof(*calls->frames)))
		return UINT32_MAX;
	hash_for_each(&calls->frame_index, slot, hash) {
		const struct path_place *p = &calls->frames[slot->number - 1].at;

		if (p->offset == at.offset && p->dso == at.dso && p->perf_map == at.perf_map)
			return slot->number - 1;
	}
	hash_put(&calls->frame_index, slot, hash, calls->nr_frames);
	calls->frames[calls->nr_frames] = (struct calls_frame){ .at = at };
	return calls->nr_frames++;
}

/* The stack of the frames that were put behind the last chain. NULL: out of memory. */
static struct calls_stack *stack_of(struct calls *calls, const uint32_t *frames, uint32_t nr)
{
	const uint32_t hash = hash_bytes(0, frames, nr * sizeof(*frames));
	struct hash_slot *slot;

	if (!hash_room(&calls->stack_index) ||
	    !array_room(&calls->stacks, calls->nr_stacks, &calls->cap_stacks,
			sizeof(*calls->stacks)))
		return NULL;
	hash_for_each(&calls->stack_index, slot, hash) {
		struct calls_stack *s = &calls->stacks[slot->number - 1];

		if (s->nr == nr && !memcmp(calls->chains + s->first, frames,
					   nr * sizeof(*frames)))
			return s;
	}
	if (!array_cover(&calls->chains, calls->nr_chains + nr, &calls->cap_chains,
			 sizeof(*calls->chains)))
		return NULL;
	hash_put(&calls->stack_index, slot, hash, calls->nr_stacks);
	memcpy(calls->chains + calls->nr_chains, frames, nr * sizeof(*frames));
	calls->stacks[calls->nr_stacks] = (struct calls_stack){ .first = calls->nr_chains,
								.nr = nr };
	calls->nr_chains += nr;
	return &calls->stacks[calls->nr_stacks++];
}

/* An event may get another name while a pipe is read, so none is kept. */
static void note_event(struct calls *calls, const struct pd_attr *attr)
{
	const struct pd_attr *first = calls->event;

	if (!first)
		calls->event = attr;
	else if (attr != first && (!attr->name || !first->name || strcmp(attr->name, first->name)))
		calls->several_events = true;
}

bool calls_count(struct calls *calls, const struct pd_event *ev)
{
	uint32_t frames[CALLS_MAX_FRAMES], i;
	const uint64_t period = pd_period(ev);
	struct calls_stack *stack;
	struct chain chain;

	/* What page faults or tracepoints stand for cannot be added to cycles. */
	if (!ev->sample.has_branches) {
		calls->others++;
		return true;
	}
	calls->samples++;
	calls->with_period += period != 0;
	calls->periods = saturate_plus(calls->periods, period);
	note_event(calls, ev->attr);
	find_chain(&chain, ev);
	calls->deeper += chain.deeper;
	if (is_harts(ev) && !count_wrong(calls, ev))
		return false;
	if (!chain.nr) {
		calls->without++;
		return true;
	}
	for (i = 0; i < chain.nr; i++) {
		frames[i] = frame_of(calls, path_code_place(calls->code, ev->pid, chain.v[i]));
		if (frames[i] == UINT32_MAX)
			return false;
	}
	stack = stack_of(calls, frames, chain.nr);
	if (!stack)
		return false;
	stack->samples++;
	stack->events = saturate_plus(stack->events, period ?: 1);
	return true;
}

/* --- names --- */

/* A function is where it starts, and what is in none is its binary. */
struct start {
	struct path_place at;
	struct calls_function function;
	uint32_t frame;
};

static int by_start(const void *va, const void *vb)
{
	const struct start *a = va, *b = vb;

	if (a->function.known != b->function.known)
		return a->function.known ? -1 : 1;
	if (a->function.binary != b->function.binary) {
		const int ret = strcmp(a->function.binary, b->function.binary);

		if (ret)
			return ret;
	}
	if (!a->function.known)
		return 0;
	if (a->at.offset != b->at.offset)
		return a->at.offset < b->at.offset ? -1 : 1;
	return strcmp(a->function.name, b->function.name);
}

static void find_starts(struct calls *calls, struct start *v)
{
	uint64_t from_start;
	size_t i;

	for (i = 0; i < calls->nr_frames; i++) {
		struct start *s = &v[i];

		*s = (struct start){ .at = calls->frames[i].at, .frame = i };
		s->function.binary = path_code_label(calls->code, &s->at);
		s->function.known = path_code_symbol(calls->code, &s->at, &s->function.name,
						     &from_start);
		if (!s->function.known)
			s->function.name = s->function.binary;
		s->at.offset -= s->function.known ? from_start : 0;
	}
	qsort(v, calls->nr_frames, sizeof(*v), by_start);
}

/* False: out of memory. */
static bool find_functions(struct calls *calls)
{
	struct start *v = malloc((calls->nr_frames + 1) * sizeof(*v));
	size_t i;

	calls->functions = malloc((calls->nr_frames + 1) * sizeof(*calls->functions));
	if (v && calls->functions)
		find_starts(calls, v);
	for (i = 0; v && calls->functions && i < calls->nr_frames; i++) {
		struct calls_function *f = &calls->functions[calls->nr_functions];

		if (!i || by_start(&v[i - 1], &v[i])) {
			*f = v[i].function;
			calls->nr_functions++;
		}
		calls->frames[v[i].frame].function = calls->nr_functions - 1;
	}
	free(v);
	return v && calls->functions;
}

/* The name to show. NULL: out of memory. */
static const char *name_of(const struct calls *calls, const char *symbol)
{
	return calls->demangler ? img_demangled(calls->demangler, symbol) : symbol;
}

static const char *inlined_name(const struct calls *calls, const struct img_frame *frame)
{
	return frame->symbol ? name_of(calls, frame->symbol) : frame->name ?: "[inlined]";
}

/* False: out of memory. */
static bool add_line(struct calls *calls, const char *name, const char *symbol,
		     const struct img_frame *frame)
{
	if (!name || !array_room(&calls->lines, calls->nr_lines, &calls->cap_lines,
				 sizeof(*calls->lines)))
		return false;
	calls->lines[calls->nr_lines++] = (struct calls_line){
		name, symbol, frame->path ?: "", frame->path ? frame->line : 0, frame->start
	};
	return true;
}

static bool find_lines(struct calls *calls, struct calls_frame *frame)
{
	const struct calls_function *f = &calls->functions[frame->function];
	struct img_frame v[MAX_INLINED] = { { 0 } };
	size_t i, nr = path_code_frames(calls->code, &frame->at, v, MAX_INLINED);

	frame->first_line = calls->nr_lines;
	for (i = 0; i + 1 < nr; i++)
		if (!add_line(calls, inlined_name(calls, &v[i]),
			      v[i].symbol ?: v[i].name ?: "", &v[i]))
			return false;
	frame->nr_lines = nr ?: 1;
	return add_line(calls, f->known ? name_of(calls, f->name) : f->name, f->name,
			&v[nr ? nr - 1 : 0]);
}

bool calls_name(struct calls *calls, bool demangle)
{
	bool ok;
	size_t i;

	calls->demangler = demangle ? img_demangler_new() : NULL;
	ok = find_functions(calls);
	for (i = 0; i < calls->nr_frames && ok; i++)
		ok = find_lines(calls, &calls->frames[i]);
	return ok;
}
