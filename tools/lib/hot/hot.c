// SPDX-License-Identifier: GPL-2.0-only
#include "hot/internal.h"
#include "image/demangle.h"

#include <stdlib.h>
#include <string.h>

/* --- names --- */

static bool same_binary(const struct path_place *a, const struct path_place *b)
{
	if (a->dso != b->dso || a->perf_map != b->perf_map)
		return false;
	return a->dso || path_is_kernel(a->offset) == path_is_kernel(b->offset);
}

/* Behind a function that lies in another one, that one goes on. UINT32_MAX: a new one. */
static uint32_t outer_function(const struct hot *hot, uint32_t inner, uint64_t start)
{
	const struct hot_place *own = &hot->places[hot->functions[inner].first], *first;
	uint32_t i;

	for (i = inner; start < hot_start_of(own) && i--;) {
		first = &hot->places[hot->functions[i].first];
		if (!same_binary(&first->at, &own->at))
			break;
		if (hot->functions[i].known && hot_start_of(first) == start)
			return i;
	}
	return UINT32_MAX;
}

void hot_find_symbol(const struct hot *hot, struct hot_place *place)
{
	const char *name;

	place->function = path_code_symbol(hot->code, &place->at, &name, &place->offset);
}

static struct hot_function name_function(const struct hot *hot, uint32_t first, bool known)
{
	const struct path_place *at = &hot->places[first].at;
	struct hot_function f = { .binary = path_code_label(hot->code, at), .known = known,
				  .first = first };
	uint64_t offset;

	if (!known || !path_code_symbol(hot->code, at, &f.name, &offset))
		f.name = f.binary;
	return f;
}

/*
 * The places are in order, so that those of a function come one after the other.
 * What no function is known of may lie between them, and is one for its binary; or a
 * function that lies in it.
 */
static bool name_places(struct hot *hot)
{
	uint32_t known = UINT32_MAX, unknown = UINT32_MAX;
	uint64_t known_start = 0, start;
	size_t i;

	for (i = 0; i < hot->nr_places; i++)
		hot_find_symbol(hot, &hot->places[i]);
	if (!hot_cut_lines(hot))
		return false;
	hot->functions = calloc(hot->nr_places + 1, sizeof(*hot->functions));
	if (!hot->functions)
		return false;
	for (i = 0; i < hot->nr_places; i++) {
		struct hot_place *p = &hot->places[i];
		const bool is_known = p->function;
		uint32_t *function;

		if (i && !same_binary(&p[-1].at, &p->at))
			known = unknown = UINT32_MAX;
		start = hot_start_of(p);
		if (is_known && known != UINT32_MAX && start != known_start)
			known = outer_function(hot, known, start);
		function = is_known ? &known : &unknown;
		if (*function == UINT32_MAX) {
			*function = hot->nr_functions;
			hot->functions[hot->nr_functions++] = name_function(hot, i, is_known);
		}
		if (is_known)
			known_start = start;
		p->function = *function;
		hot->functions[*function].last = i;
	}
	return true;
}

static int by_name(const void *va, const void *vb)
{
	const struct hot_function *a = *(struct hot_function *const *)va,
				  *b = *(struct hot_function *const *)vb;

	return strcmp(a->name, b->name) ?: strcmp(a->binary, b->binary);
}

/* Returns false if out of memory. */
static bool find_namesakes(struct hot *hot)
{
	struct hot_function **v = malloc((hot->nr_functions + 1) * sizeof(*v));
	size_t i, first, nr = 0;

	if (!v)
		return false;
	for (i = 0; i < hot->nr_functions; i++)
		if (hot->functions[i].known)
			v[nr++] = &hot->functions[i];
	qsort(v, nr, sizeof(*v), by_name);
	for (first = 0; first < nr; first = i) {
		for (i = first + 1; i < nr && !strcmp(v[i]->name, v[first]->name); i++)
			;
		/* Those of one name are in the order of their binaries. */
		if (!strcmp(v[i - 1]->binary, v[first]->binary))
			continue;
		while (first < i)
			v[first++]->has_namesake = true;
	}
	free(v);
	return true;
}

void hot_demangle(struct hot *hot)
{
	struct img_demangler *demangler = img_demangler_new();
	size_t i;

	for (i = 0; demangler && i < hot->nr_functions; i++)
		if (hot->functions[i].known)
			hot->functions[i].demangled =
				img_demangle(demangler, hot->functions[i].name);
	img_demangler_free(demangler);
}

static void free_functions(struct hot *hot)
{
	size_t i;

	for (i = 0; i < hot->nr_functions; i++)
		free(hot->functions[i].demangled);
	free(hot->functions);
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
	if (!bytes || rv_decode(&insn, bytes, len, path_code_flags(code, from)) < 0)
		return PERF_BR_UNKNOWN;
	return types[insn.xfer];
}

/* --- edges --- */

static int by_places(const void *va, const void *vb)
{
	const struct hot_edge *a = va, *b = vb;

	BY(from);
	BY(to);
	BY(type);
	return 0;
}

/* The instructions of a line. Of one that leads through several functions, each has its part. */
static void add_insns(struct hot *hot, const struct hot_step *s, uint64_t count)
{
	const uint32_t function = function_of(hot, s->to);
	const double insns = (double)count * s->length;

	if (s->end == HOT_NO_PLACE || s->end < s->to)
		return;
	hot->insns += insns;
	if (function_of(hot, s->end) == function)
		hot->functions[function].share += insns;
}

/* A part is as a line of its function is, but nothing enters the function at it. */
static void add_parts(struct hot *hot)
{
	size_t i;

	for (i = 0; i < hot->nr_parts; i++) {
		const struct hot_part *part = &hot->parts[i];
		const uint64_t count = hot->edges[part->step].count;
		struct hot_place *to = &hot->places[part->to], *end = &hot->places[part->end];

		hot->functions[to->function].share += (double)count * part->length;
		if (!hot->functions[to->function].known)
			continue;
		to->begun += count;
		end->ended += count;
		if (part->comes)
			to->fallen += count;
		end->goes_on |= part->goes_on;
	}
}

/* What is of one edge and not of each that was counted, before they are merged. */
static void complete_edges(struct hot *hot)
{
	size_t i;

	for (i = 0; i < hot->nr_edges; i++) {
		struct hot_edge *e = &hot->edges[i];
		struct hot_step *s = &hot->steps[i];

		if (!e->type)
			e->type = type_by_code(hot->code,
					       &hot->places[e->from].at);
		s->from = e->from;
		s->to = e->to;
		s->type = e->type;
		if (hot_is_line(hot, s)) {
			hot->places[s->to].begun += e->count;
			hot->places[s->end].ended += e->count;
		}
		if (hot->how & HOT_ALL)
			add_insns(hot, s, e->count);
		hot->mispredicted += e->mispredicted;
		hot->has_cycles |= e->timed;
	}
	add_parts(hot);
	for (i = 0; i < hot->nr_functions && hot->insns > 0; i++)
		hot->functions[i].share /= hot->insns;
}

static void merge_edges(struct hot *hot)
{
	struct hot_edge *v = hot->edges;
	size_t i, k, nr = 0;

	qsort(v, hot->nr_edges, sizeof(*v), by_places);
	for (i = 0; i < hot->nr_edges; i++) {
		if (!nr || by_places(&v[nr - 1], &v[i])) {
			v[nr++] = v[i];
			continue;
		}
		v[nr - 1].count += v[i].count;
		v[nr - 1].followed += v[i].followed;
		v[nr - 1].followed_missed += v[i].followed_missed;
		v[nr - 1].mispredicted += v[i].mispredicted;
		v[nr - 1].cycles += v[i].cycles;
		v[nr - 1].timed += v[i].timed;
	}
	hot->nr_edges = nr;
	for (i = k = 0; i <= hot->nr_places; i++) {
		hot->places[i].first = k;
		while (k < nr && v[k].from == i)
			k++;
	}
}

static bool index_targets(struct hot *hot)
{
	size_t i, nr = 0;

	hot->into = malloc((hot->nr_edges + 1) * sizeof(*hot->into));
	if (!hot->into)
		return false;
	for (i = 0; i < hot->nr_edges; i++)
		hot->places[hot->edges[i].to].into++;
	for (i = 0; i <= hot->nr_places; i++)
		hot->places[i].into = nr += hot->places[i].into;
	/* Each has the end of what is its, and gets it from there. */
	for (i = hot->nr_edges; i--;)
		hot->into[--hot->places[hot->edges[i].to].into] = i;
	return true;
}

/* --- functions and calls --- */

struct made {
	const void *list;
	struct hot_function *function;
};

/* The jitdump or the perf map with the name of what a program made. NULL: it is of a file. */
static const void *list_of(const struct path_place *at)
{
	if (at->perf_map)
		return at->perf_map;
	return at->dso && pd_is_jitdump(at->dso->name) ? at->dso : NULL;
}

static int by_list(const struct made *a, const struct made *b)
{
	BY(list);
	return strcmp(a->function->name, b->function->name);
}

static int by_row(const void *va, const void *vb)
{
	const struct made *a = va, *b = vb;
	const int ret = by_list(a, b);

	if (ret)
		return ret;
	if (a->function->share != b->function->share)
		return a->function->share > b->function->share ? -1 : 1;
	BY(function);
	return 0;
}

/* Returns false if out of memory. */
static bool find_rows(struct hot *hot)
{
	struct made *v = malloc((hot->nr_functions + 1) * sizeof(*v));
	size_t i, nr = 0;

	for (i = 0; v && i < hot->nr_functions; i++) {
		struct hot_function *f = &hot->functions[i];
		const void *list = f->known ? list_of(&hot->places[f->first].at) : NULL;

		f->row = i;
		f->next = HOT_NO_FUNCTION;
		if (list)
			v[nr++] = (struct made){ list, f };
	}
	if (nr)
		qsort(v, nr, sizeof(*v), by_row);
	for (i = 1; i < nr; i++) {
		if (by_list(&v[i - 1], &v[i]))
			continue;
		v[i].function->row = v[i - 1].function->row;
		v[i - 1].function->next = v[i].function - hot->functions;
	}
	free(v);
	return v;
}

static void sum_rows(struct hot *hot)
{
	size_t i;

	for (i = 0; i < hot->nr_functions; i++) {
		const struct hot_function *f = &hot->functions[i];
		struct hot_function *row = &hot->functions[f->row];

		row->sum.nr++;
		row->sum.entries += f->entries;
		row->sum.share += f->share;
	}
}

static uint32_t row_of(const struct hot *hot, uint32_t place)
{
	return hot->functions[function_of(hot, place)].row;
}

bool hot_enters(const struct hot *hot, uint32_t type, uint32_t from, uint32_t to)
{
	return is_of(type, CALLS) ||
	       (is_of(type, JUMPS | UNKNOWN) && !hot->places[to].offset &&
		hot->functions[function_of(hot, to)].known &&
		function_of(hot, from) != function_of(hot, to));
}

static int by_functions(const void *va, const void *vb)
{
	const struct hot_call *a = va, *b = vb;

	BY(from);
	BY(to);
	return 0;
}

static bool add_calls(struct hot *hot)
{
	struct hot_call *v = malloc((hot->nr_edges + 1) * sizeof(*v));
	size_t i, nr = 0;

	hot->calls = v;
	if (!v)
		return false;
	for (i = 0; i < hot->nr_edges; i++) {
		const struct hot_edge *e = &hot->edges[i];

		if (!hot_enters(hot, e->type, e->from, e->to))
			continue;
		v[nr++] = (struct hot_call){ row_of(hot, e->from), row_of(hot, e->to), e->count };
		hot->functions[function_of(hot, e->to)].entries += e->count;
	}
	sum_rows(hot);
	qsort(v, nr, sizeof(*v), by_functions);
	for (i = 0; i < nr; i++) {
		if (i && !by_functions(&v[hot->nr_calls - 1], &v[i]))
			v[hot->nr_calls - 1].count += v[i].count;
		else
			v[hot->nr_calls++] = v[i];
	}
	return true;
}

/* --- indirect branches --- */

/* What is many branches is none of them. */
static void add_site(struct hot *hot, uint32_t from, uint32_t type)
{
	struct hot_site *site = &hot->sites[hot->nr_sites];
	const struct hot_place *p = &hot->places[from];
	struct count_ranked *targets;
	size_t i;

	*site = (struct hot_site){ .from = from, .type = type };
	if (hot->nr_sites)
		site->first = site[-1].first + site[-1].nr;
	targets = hot->targets + site->first;
	for (i = p->first; i < p[1].first; i++) {
		const struct hot_edge *e = &hot->edges[i];

		if (e->type != type)
			continue;
		targets[site->nr++] = (struct count_ranked){ e->count, i };
		site->count += e->count;
	}
	qsort(targets, site->nr, sizeof(*targets), count_most_first);
	hot->nr_sites += site->nr > 0;
}

static bool add_sites(struct hot *hot)
{
	size_t i;

	hot->targets = malloc((hot->nr_edges + 1) * sizeof(*hot->targets));
	hot->sites = malloc((hot->nr_edges + 1) * sizeof(*hot->sites));
	if (!hot->targets || !hot->sites)
		return false;
	for (i = 0; i < hot->nr_places; i++) {
		if (!hot_has_address(hot, i))
			continue;
		add_site(hot, i, PERF_BR_IND);
		add_site(hot, i, PERF_BR_IND_CALL);
	}
	return true;
}

#define RANK(_list, _v, _count)                                                \
	count_rank(&hot->lists[_list], &hot->_v[0]._count, hot->nr_##_v,       \
		   sizeof(hot->_v[0]))

/* Nothing is known of an edge without both ends. */
static bool rank_edges(struct hot *hot)
{
	struct count_list *list = &hot->lists[HOT_EDGES];
	const struct hot_edge *e;
	size_t i, nr = 0;

	if (!RANK(HOT_EDGES, edges, count))
		return false;
	for (i = 0; i < list->nr; i++) {
		e = &hot->edges[list->v[i].number];
		if (hot_has_address(hot, e->from) || hot_has_address(hot, e->to))
			list->v[nr++] = list->v[i];
	}
	list->nr = nr;
	return true;
}

struct shared {
	double share;
	struct count_ranked ranked;
};

static int by_share(const void *va, const void *vb)
{
	const struct shared *a = va, *b = vb;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return count_most_first(&a->ranked, &b->ranked);
}

/* Put the one where most of what ran is first. share: of number 0 of the list's elements. */
static bool sort_by_share(struct count_list *list, const double *share, size_t size)
{
	struct shared *v = malloc((list->nr + 1) * sizeof(*v));
	size_t i;

	for (i = 0; v && i < list->nr; i++)
		v[i] = (struct shared){
			*(const double *)((const char *)share + list->v[i].number * size),
			list->v[i],
		};
	if (v)
		qsort(v, list->nr, sizeof(*v), by_share);
	for (i = 0; v && i < list->nr; i++)
		list->v[i] = v[i].ranked;
	free(v);
	return v;
}

static bool rank_loops(struct hot *hot)
{
	return RANK(HOT_LOOPS, loops, iterations) &&
	       sort_by_share(&hot->lists[HOT_LOOPS], &hot->loops->share, sizeof(*hot->loops));
}

/* What ran may have been entered before. */
static bool rank_functions(struct hot *hot)
{
	struct count_list *list = &hot->lists[HOT_FUNCTIONS];
	size_t i;

	if (!RANK(HOT_FUNCTIONS, functions, sum.entries))
		return false;
	for (i = 0; i < hot->nr_functions; i++)
		if (!hot->functions[i].sum.entries && hot->functions[i].sum.share > 0)
			list->v[list->nr++] = (struct count_ranked){ 0, i };
	return sort_by_share(list, &hot->functions->sum.share, sizeof(*hot->functions));
}

static bool find_loops(struct hot *hot)
{
	if (!hot_find_loops(hot))
		return false;
	if (hot->how & HOT_ALL)
		hot_find_shares(hot);
	return hot_find_trips(hot);
}

bool hot_find(struct hot *hot)
{
	/* perf's flags: neither of them means that it is not known. */
	enum { MISPREDICTED = 1, PREDICTED = 2 };

	if (!hot_settle(hot))
		return false;
	hot->samples = hot->counts.samples - hot->counts.empty;
	hot->empty = hot->counts.empty;
	hot->call_stacks = hot->counts.call_stacks;
	hot->transfers = hot->counts.entries;
	hot->weight = hot->counts.weight;
	hot->has_predictions = hot->counts.flags & (MISPREDICTED | PREDICTED);
	if (!hot->transfers)
		return true;
	if (!hot_take(hot) || !name_places(hot) || !find_namesakes(hot) || !hot_count_passed(hot))
		return false;
	complete_edges(hot);
	merge_edges(hot);
	return index_targets(hot) && find_rows(hot) && add_calls(hot) && add_sites(hot) &&
	       find_loops(hot) && hot_find_branches(hot) &&
	       rank_edges(hot) && rank_functions(hot) && rank_loops(hot) &&
	       RANK(HOT_SITES, sites, count) && RANK(HOT_CALLS, calls, count);
}

double hot_unnamed(const struct hot *hot)
{
	double share = 0;
	size_t i;

	for (i = 0; i < hot->nr_functions; i++)
		if (!hot->functions[i].known)
			share += hot->functions[i].share;
	return share;
}

uint64_t hot_transfers(const struct hot *hot, uint64_t count)
{
	return count_transfers(count, hot->weight, hot->transfers);
}

void hot_free(struct hot *hot)
{
	unsigned int i;

	count_free(&hot->counts);
	hot_set_free(&hot->regions);
	count_stacks_free(&hot->stacks);
	free(hot->steps);
	free(hot->parts);
	free(hot->in_loop);
	free(hot->is_head);
	free(hot->unsure);
	free(hot->passed);
	free(hot->places);
	free_functions(hot);
	free(hot->edges);
	free(hot->into);
	free(hot->loops);
	free(hot->branches);
	free(hot->sites);
	free(hot->calls);
	free(hot->targets);
	for (i = 0; i < HOT_NR_LISTS; i++)
		free(hot->lists[i].v);
	*hot = (struct hot){ 0 };
}
