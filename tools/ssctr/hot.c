// SPDX-License-Identifier: GPL-2.0-only
#include "hot_internal.h"
#include "riscv/rv_insn.h"

#include <stdlib.h>

/* --- names --- */

static const char *binary_name(const struct path_place *place)
{
	if (place->dso)
		return place->dso->name;
	if (place->perf_map)
		return "//anon";
	return path_is_kernel(place->offset) ? "[kernel]" : "[unknown]";
}

static bool same_binary(const struct path_place *a, const struct path_place *b)
{
	if (a->dso != b->dso || a->perf_map != b->perf_map)
		return false;
	return a->dso || path_is_kernel(a->offset) == path_is_kernel(b->offset);
}

/*
 * The places are in order, so that those of a function come one after the other.
 * What no function is known of may lie between them, and is one for its binary.
 */
static bool name_places(struct hot *hot, struct path_code *code)
{
	const struct transfers *t = hot->transfers;
	uint32_t known = UINT32_MAX, unknown = UINT32_MAX;
	uint64_t known_start = 0;
	size_t i;

	hot->places = malloc((t->nr_places + 1) * sizeof(*hot->places));
	hot->functions = calloc(t->nr_places + 1, sizeof(*hot->functions));
	if (!hot->places || !hot->functions)
		return false;
	for (i = 0; i < t->nr_places; i++) {
		const struct path_place *place = &t->places[i];
		struct hot_function f = { .binary = binary_name(place) };
		struct hot_place *p = &hot->places[i];
		uint32_t *function;

		f.known = path_code_symbol(code, place, &f.name, &p->offset);
		if (i && !same_binary(place - 1, place))
			known = unknown = UINT32_MAX;
		if (f.known && place->offset - p->offset != known_start)
			known = UINT32_MAX;
		function = f.known ? &known : &unknown;
		if (*function == UINT32_MAX) {
			*function = hot->nr_functions;
			hot->functions[hot->nr_functions++] = f;
		}
		if (f.known)
			known_start = place->offset - p->offset;
		p->function = *function;
	}
	return true;
}

/*
 * perf records types with `-j any,save_type`, or when the driver gives them
 * anyway; without, the instruction tells.
 */
static uint32_t type_by_code(struct path_code *code,
			     const struct path_place *from)
{
	static const uint8_t types[] = {
		[RV_XFER_EXCEPTION] = PERF_BR_SYSCALL,
		[RV_XFER_TRAP_RETURN] = PERF_BR_ERET,
		[RV_XFER_BRANCH] = PERF_BR_COND,
		[RV_XFER_IND_CALL] = PERF_BR_IND_CALL,
		[RV_XFER_DIR_CALL] = PERF_BR_CALL,
		[RV_XFER_IND_JUMP] = PERF_BR_IND,
		[RV_XFER_DIR_JUMP] = PERF_BR_UNCOND,
		[RV_XFER_CO_SWAP] = PERF_BR_IND_CALL,
		[RV_XFER_RETURN] = PERF_BR_RET,
		[RV_XFER_IND_LINK] = PERF_BR_IND,
		[RV_XFER_DIR_LINK] = PERF_BR_UNCOND,
	};
	struct rv_insn insn;
	const uint8_t *bytes;
	uint64_t len;

	bytes = path_code_bytes(code, from, &len);
	if (!bytes || rv_decode(&insn, bytes, len, 0) < 0)
		return PERF_BR_UNKNOWN;
	return types[insn.xfer];
}

/* --- edges --- */

static int steps_by_edge(const void *va, const void *vb)
{
	const struct tr_step *a = va, *b = vb;

	if (a->from != b->from)
		return ORDER(a->from, b->from);
	if (a->to != b->to)
		return ORDER(a->to, b->to);
	return ORDER(a->type, b->type);
}

static int edges_by_count(const void *va, const void *vb)
{
	const struct hot_edge *a = va, *b = vb;

	if (a->count != b->count)
		return ORDER(b->count, a->count);
	if (a->from != b->from)
		return ORDER(a->from, b->from);
	if (a->to != b->to)
		return ORDER(a->to, b->to);
	return ORDER(a->type, b->type);
}

/* Left in the order of their places. */
static bool add_edges(struct hot *hot, struct transfers *t,
		      struct path_code *code)
{
	struct hot_edge *e = NULL;
	size_t i;

	hot->edges = malloc((t->nr_steps + 1) * sizeof(*hot->edges));
	if (!hot->edges)
		return false;
	for (i = 0; i < t->nr_steps; i++)
		if (!t->steps[i].type)
			t->steps[i].type = type_by_code(
				code, &t->places[t->steps[i].from]);
	if (t->nr_steps)
		qsort(t->steps, t->nr_steps, sizeof(*t->steps), steps_by_edge);
	for (i = 0; i < t->nr_steps; i++) {
		const struct tr_step *s = &t->steps[i];

		if (!e || e->from != s->from || e->to != s->to ||
		    e->type != s->type) {
			e = &hot->edges[hot->nr_edges++];
			*e = (struct hot_edge){ .from = s->from, .to = s->to,
						.type = s->type };
		}
		e->count += s->count;
		e->mispredicted += s->mispredicted;
		e->cycles += s->cycles;
		e->timed += s->timed;
	}
	return true;
}

/* --- functions and calls --- */

bool hot_enters(const struct hot *hot, uint32_t from, uint32_t to,
		uint32_t type)
{
	return is_of(type, CALLS) ||
	       (is_of(type, JUMPS | UNKNOWN) && !hot->places[to].offset &&
		hot->functions[function_of(hot, to)].known &&
		function_of(hot, from) != function_of(hot, to));
}

static int calls_by_functions(const void *va, const void *vb)
{
	const struct hot_call *a = va, *b = vb;

	if (a->from != b->from)
		return ORDER(a->from, b->from);
	return ORDER(a->to, b->to);
}

static int calls_by_count(const void *va, const void *vb)
{
	const struct hot_call *a = va, *b = vb;

	if (a->count != b->count)
		return ORDER(b->count, a->count);
	return calls_by_functions(va, vb);
}

static int entered_by_count(const void *va, const void *vb, void *arg)
{
	const struct hot_function *functions = arg;
	const uint32_t *a = va, *b = vb;

	if (functions[*a].entries != functions[*b].entries)
		return ORDER(functions[*b].entries, functions[*a].entries);
	return ORDER(*a, *b);
}

static bool add_calls(struct hot *hot)
{
	struct hot_call *v = malloc((hot->nr_edges + 1) * sizeof(*v));
	size_t i, nr = 0;

	hot->calls = v;
	hot->entered = malloc((hot->nr_functions + 1) * sizeof(*hot->entered));
	if (!v || !hot->entered)
		return false;
	for (i = 0; i < hot->nr_edges; i++) {
		const struct hot_edge *e = &hot->edges[i];

		if (!hot_enters(hot, e->from, e->to, e->type))
			continue;
		v[nr++] =
			(struct hot_call){ function_of(hot, e->from),
					   function_of(hot, e->to), e->count };
		hot->functions[function_of(hot, e->to)].entries += e->count;
		hot->entries += e->count;
	}
	qsort(v, nr, sizeof(*v), calls_by_functions);
	for (i = 0; i < nr; i++) {
		if (i && !calls_by_functions(&v[hot->nr_calls - 1], &v[i]))
			v[hot->nr_calls - 1].count += v[i].count;
		else
			v[hot->nr_calls++] = v[i];
	}
	qsort(v, hot->nr_calls, sizeof(*v), calls_by_count);
	for (i = 0; i < hot->nr_functions; i++)
		if (hot->functions[i].entries)
			hot->entered[hot->nr_entered++] = i;
	qsort_r(hot->entered, hot->nr_entered, sizeof(*hot->entered),
		entered_by_count, hot->functions);
	return true;
}

/* --- indirect branches --- */

static int sites_by_count(const void *va, const void *vb)
{
	const struct hot_site *a = va, *b = vb;

	if (a->count != b->count)
		return ORDER(b->count, a->count);
	return ORDER(a->first, b->first);
}

static int edges_by_site(const void *va, const void *vb)
{
	const struct hot_edge *a = va, *b = vb;

	if (a->from != b->from)
		return ORDER(a->from, b->from);
	if (a->type != b->type)
		return ORDER(a->type, b->type);
	return edges_by_count(va, vb);
}

static bool add_sites(struct hot *hot)
{
	struct hot_site *site = NULL;
	size_t i;

	hot->targets = malloc((hot->nr_edges + 1) * sizeof(*hot->targets));
	hot->sites = malloc((hot->nr_edges + 1) * sizeof(*hot->sites));
	if (!hot->targets || !hot->sites)
		return false;
	for (i = 0; i < hot->nr_edges; i++)
		if (is_of(hot->edges[i].type, INDIRECT))
			hot->targets[hot->nr_targets++] = hot->edges[i];
	qsort(hot->targets, hot->nr_targets, sizeof(*hot->targets),
	      edges_by_site);
	for (i = 0; i < hot->nr_targets; i++) {
		const struct hot_edge *e = &hot->targets[i];

		if (!site || site->from != e->from || site->type != e->type) {
			site = &hot->sites[hot->nr_sites++];
			*site = (struct hot_site){ e->from, e->type, 0, i, 0 };
		}
		site->count += e->count;
		site->nr++;
	}
	qsort(hot->sites, hot->nr_sites, sizeof(*hot->sites), sites_by_count);
	return true;
}

bool hot_find(struct hot *hot, struct transfers *t, struct path_code *code)
{
	*hot = (struct hot){ .transfers = t };
	if (!name_places(hot, code) || !add_edges(hot, t, code) ||
	    !add_calls(hot) || !add_sites(hot) || !hot_find_loops(hot))
		return false;
	if (hot->nr_edges)
		qsort(hot->edges, hot->nr_edges, sizeof(*hot->edges),
		      edges_by_count);
	return true;
}

void hot_free(struct hot *hot)
{
	free(hot->places);
	free(hot->functions);
	free(hot->entered);
	free(hot->edges);
	free(hot->loops);
	free(hot->sites);
	free(hot->targets);
	free(hot->calls);
	*hot = (struct hot){ 0 };
}
