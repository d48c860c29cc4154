// SPDX-License-Identifier: GPL-2.0-only
#include "profile/profile.h"

#include <stdlib.h>

struct derive {
	struct prof *prof;
	const struct prof_counts *counts;
	const bool *is_mine;
};

static int by_range(const void *va, const void *vb)
{
	const struct prof_range *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static int by_trace(const void *va, const void *vb)
{
	const struct prof_trace *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static int by_ip(const void *va, const void *vb)
{
	const struct prof_at *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static uint64_t addr_of(const struct derive *d, prof_place place)
{
	uint64_t addr;

	if (place != PROF_NONE && d->is_mine[prof_binary_of(place)] &&
	    prof_code_addr(d->prof->code, prof_offset_of(place), &addr))
		return addr;
	return PROF_OUTSIDE;
}

static bool crosses(const struct derive *d, const struct prof_step *step)
{
	const struct prof_binary *b = d->counts->binaries;

	return b[prof_binary_of(step->from)].kernel !=
	       b[prof_binary_of(step->to)].kernel;
}

static void add_step(struct derive *d, const struct prof_step *step)
{
	uint64_t from = addr_of(d, step->from), to = addr_of(d, step->to);
	uint64_t end = addr_of(d, step->end);
	struct prof *prof = d->prof;

	if (from == PROF_OUTSIDE && to == PROF_OUTSIDE)
		return;
	prof->entries += step->count;
	if (to != PROF_OUTSIDE && end != PROF_OUTSIDE) {
		prof->lines += step->count;
		prof->ranges[prof->nr_ranges++] =
			(struct prof_range){ to, end, step->count };
	} else {
		end = PROF_OUTSIDE;
	}
	if (crosses(d, step)) {
		prof->crossing += step->count;
		from = PROF_TRAP;
	}
	prof->traces[prof->nr_traces++] = (struct prof_trace){
		from, to, end, step->count, step->mispredicted
	};
}

/* Sum up equal ones, and take out those that cannot be. */
static void join_ranges(struct prof *prof)
{
	struct prof_range *v = prof->ranges;
	size_t i, nr = 0, kept = 0;

	qsort(v, prof->nr_ranges, sizeof(*v), by_range);
	for (i = 0; i < prof->nr_ranges; i++) {
		if (!nr || by_range(&v[nr - 1], &v[i]))
			v[nr++] = v[i];
		else
			v[nr - 1].count += v[i].count;
	}
	for (i = 0; i < nr; i++) {
		enum path_break why =
			prof_code_line(prof->code, v[i].start, v[i].end);

		if (why == PATH_OK)
			v[kept++] = v[i];
		else
			prof->bad_lines[why] += v[i].count;
	}
	prof->nr_ranges = kept;
}

static bool is_range(const struct prof *prof, uint64_t start, uint64_t end)
{
	const struct prof_range key = { start, end, 0 };

	return bsearch(&key, prof->ranges, prof->nr_ranges, sizeof(key),
		       by_range);
}

/* The same, once the ranges are known. */
static void join_traces(struct prof *prof)
{
	struct prof_trace *v = prof->traces;
	size_t i, nr = 0;

	for (i = 0; i < prof->nr_traces; i++)
		if (v[i].end != PROF_OUTSIDE &&
		    !is_range(prof, v[i].to, v[i].end))
			v[i].end = PROF_OUTSIDE;
	qsort(v, prof->nr_traces, sizeof(*v), by_trace);
	for (i = 0; i < prof->nr_traces; i++) {
		if (!nr || by_trace(&v[nr - 1], &v[i])) {
			v[nr++] = v[i];
		} else {
			v[nr - 1].count += v[i].count;
			v[nr - 1].mispredicted += v[i].mispredicted;
		}
	}
	prof->nr_traces = nr;
}

static void add_branches(struct prof *prof)
{
	size_t i, nr = 0;

	for (i = 0; i < prof->nr_traces; i++) {
		const struct prof_trace *t = &prof->traces[i];
		struct prof_branch *b = &prof->branches[nr];

		if (t->from == PROF_TRAP)
			continue;
		if (!nr || b[-1].from != t->from || b[-1].to != t->to) {
			*b++ = (struct prof_branch){ t->from, t->to, 0, 0 };
			nr++;
		}
		b[-1].count += t->count;
		b[-1].mispredicted += t->mispredicted;
	}
	prof->nr_branches = nr;
}

static bool add_ips(struct derive *d)
{
	const struct prof_counts *counts = d->counts;
	struct prof *prof = d->prof;
	size_t i;

	prof->ips = malloc((counts->nr_ips + 1) * sizeof(*prof->ips));
	if (!prof->ips)
		return false;
	for (i = 0; i < (size_t)1 << counts->ips_bits; i++) {
		const struct prof_ip *ip = &counts->ips[i];
		uint64_t addr;

		if (!ip->count)
			continue;
		addr = addr_of(d, ip->at);
		if (addr != PROF_OUTSIDE)
			prof->ips[prof->nr_ips++] =
				(struct prof_at){ addr, ip->count };
	}
	qsort(prof->ips, prof->nr_ips, sizeof(*prof->ips), by_ip);
	return true;
}

int prof_derive(struct prof *prof, const struct prof_counts *counts,
		const bool *is_mine, const struct prof_code *code)
{
	struct derive d = { prof, counts, is_mine };
	size_t i;

	*prof = (struct prof){ .code = code };
	prof->ranges = malloc((counts->nr_steps + 1) * sizeof(*prof->ranges));
	prof->branches =
		malloc((counts->nr_steps + 1) * sizeof(*prof->branches));
	prof->traces = malloc((counts->nr_steps + 1) * sizeof(*prof->traces));
	if (!prof->ranges || !prof->branches || !prof->traces || !add_ips(&d))
		return PD_ENOMEM;
	for (i = 0; i < (size_t)1 << counts->steps_bits; i++)
		if (counts->steps[i].count)
			add_step(&d, &counts->steps[i]);
	join_ranges(prof);
	join_traces(prof);
	add_branches(prof);
	return 0;
}

void prof_free(struct prof *prof)
{
	free(prof->ranges);
	free(prof->branches);
	free(prof->traces);
	free(prof->ips);
	*prof = (struct prof){ 0 };
}
