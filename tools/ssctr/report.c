// SPDX-License-Identifier: GPL-2.0-only
/* ssctr report: the transfers of a recording, counted. */
#include "recording.h"
#include "riscv/rv_insn.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_NUMBER = 'n' };

static const struct cmd_opt options[] = {
	REC_OPTS,
	{ OPT_NUMBER, "number", "N", "show the N most frequent (default: 10)" },
	{ 0, NULL, NULL, NULL },
};

static const struct cmd cmd = {
	.name = "report",
	.usage = "[-i perf.data] [option]...",
	.about =
		"Show the most frequent control transfers of a recording's branch stacks.",
	.example = "  ssctr report -i perf.data --symfs /srv/riscv-root -n 20",
	.opts = options,
};

struct edge {
	struct path_place from, to;
	uint64_t count; /* 0: an empty slot */
	unsigned int type;
};

/* Open addressing, at most half full: memory grows with the edges alone. */
struct edges {
	struct edge *v;
	size_t nr, mask;
};

static size_t hash_edge(const struct edge *e)
{
	const uint64_t k = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = e->from.offset * k;

	hash = (hash ^ hash >> 29 ^ e->to.offset) * k;
	hash = (hash ^ hash >> 29 ^ (e->from.dso ? e->from.dso->id : 0)) * k;
	hash = (hash ^ hash >> 29 ^ (e->to.dso ? e->to.dso->id : 0)) * k;
	return hash >> 32;
}

static bool same_edge(const struct edge *a, const struct edge *b)
{
	return a->from.offset == b->from.offset &&
	       a->to.offset == b->to.offset && a->from.dso == b->from.dso &&
	       a->to.dso == b->to.dso &&
	       a->from.perf_map == b->from.perf_map &&
	       a->to.perf_map == b->to.perf_map && a->type == b->type;
}

static struct edge *find_edge(const struct edges *edges, const struct edge *e)
{
	size_t i = hash_edge(e) & edges->mask;

	while (edges->v[i].count && !same_edge(&edges->v[i], e))
		i = (i + 1) & edges->mask;
	return &edges->v[i];
}

static bool grow_edges(struct edges *edges)
{
	size_t i, cap = edges->v ? 2 * (edges->mask + 1) : 4096;
	struct edges new = { calloc(cap, sizeof(*new.v)), edges->nr, cap - 1 };

	if (!new.v)
		return false;
	for (i = 0; edges->v && i <= edges->mask; i++)
		if (edges->v[i].count)
			*find_edge(&new, &edges->v[i]) = edges->v[i];
	free(edges->v);
	*edges = new;
	return true;
}

/* False: out of memory. */
static bool count_edge(struct edges *edges, const struct edge *e)
{
	struct edge *slot;

	if (2 * (edges->nr + 1) > edges->mask && !grow_edges(edges))
		return false;
	slot = find_edge(edges, e);
	if (!slot->count) {
		*slot = *e;
		edges->nr++;
	}
	slot->count++;
	return true;
}

static int by_count(const void *va, const void *vb)
{
	const struct edge *a = va, *b = vb;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->from.offset != b->from.offset)
		return a->from.offset < b->from.offset ? -1 : 1;
	if (a->to.offset != b->to.offset)
		return a->to.offset < b->to.offset ? -1 : 1;
	return (int)a->type - (int)b->type;
}

static void print_place(struct rec *rec, const struct path_place *place)
{
	const char *name;
	uint64_t offset;

	path_code_symbol(rec->code, place, &name, &offset);
	printf("%s+0x%" PRIx64, name, offset);
}

/*
 * perf records types with `-j any,save_type`, or when the driver gives them
 * anyway; without, the instruction tells.
 */
static const char *type_name(struct rec *rec, const struct edge *e)
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
	unsigned int type = e->type;
	struct rv_insn insn;
	const uint8_t *code;
	uint64_t len;

	if (!type && (code = path_code_bytes(rec->code, &e->from, &len)) &&
	    rv_decode(&insn, code, len, 0) > 0)
		type = types[insn.xfer];
	return pd_branch_type_name(type);
}

static void print_edges(struct rec *rec, struct edges *edges, uint64_t total,
			uint64_t samples, uint64_t number)
{
	size_t i, nr = 0;

	for (i = 0; edges->v && i <= edges->mask; i++)
		if (edges->v[i].count)
			edges->v[nr++] = edges->v[i];
	if (nr)
		qsort(edges->v, nr, sizeof(*edges->v), by_count);
	printf("%" PRIu64 " transfers of %zu kinds in %" PRIu64 " samples\n\n",
	       total, nr, samples);
	printf("%10s  %6s  %-10s  from -> to\n", "count", "share", "type");
	for (i = 0; i < nr && i < number; i++) {
		const struct edge *e = &edges->v[i];

		printf("%10" PRIu64 "  %5.1f%%  %-10s  ", e->count,
		       100.0 * e->count / total, type_name(rec, e));
		print_place(rec, &e->from);
		printf(" -> ");
		print_place(rec, &e->to);
		putchar('\n');
	}
}

static int report(struct rec *rec, struct edges *edges, uint64_t number)
{
	uint64_t total = 0, samples = 0;
	struct pd_event ev;
	int ret = rec_open(rec);

	if (ret)
		return ret;
	while ((ret = rec_next(rec, &ev)) > 0) {
		uint64_t i, nr = ev.sample.nr_branches;

		samples += !!nr;
		total += nr;
		for (i = 0; i < nr; i++) {
			struct pd_branch br = pd_branch_at(&ev.sample, i);
			struct edge e = {
				path_code_place(rec->code, ev.pid, br.from),
				path_code_place(rec->code, ev.pid, br.to), 0,
				pd_branch_type(br.flags)
			};

			if (!count_edge(edges, &e))
				return cmd_error(&cmd, "out of memory");
		}
	}
	if (ret < 0)
		return CMD_FAIL;
	if (!total)
		return cmd_error(
			&cmd, "%s: no branch stack in any sample%s", rec->path,
			rec->filtered ? " that the options let through" : "");
	print_edges(rec, edges, total, samples, number);
	rec_summary(rec);
	return CMD_OK;
}

int cmd_report(int argc, char **argv)
{
	struct edges edges = { 0 };
	uint64_t number = 10;
	struct cmd_opts opts;
	int id, ret = CMD_OK;
	struct rec rec;

	rec_init(&rec, &cmd);
	cmd_opts_init(&opts, &cmd, argc, argv);
	while (!ret && (id = cmd_opts_next(&opts)) >= 0) {
		if (id != OPT_NUMBER)
			ret = rec_option(&rec, &opts, id);
		else if (!cmd_opts_u64(&opts, &number))
			ret = CMD_USAGE;
	}
	if (!ret && id == CMD_OPT_EXIT)
		return opts.status;
	if (!ret && opts.argc)
		ret = cmd_usage(&cmd, "%s: give the recording with -i",
				opts.argv[0]);
	if (!ret)
		ret = report(&rec, &edges, number);
	free(edges.v);
	rec_close(&rec);
	return ret;
}
