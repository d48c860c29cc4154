// SPDX-License-Identifier: GPL-2.0-only
#include "profile/profile.h"
#include "profile/sort.h"

#include <stdlib.h>

/*
 * What was counted, at 32-bit offsets from the first segment: two of them are a
 * key to sort by. Code beyond these 4 GiB would be outside.
 */
struct counted {
	uint32_t from, to, end;
	uint64_t count;
	uint64_t mispredicted;
};

enum { MAX_OFFSET = UINT32_MAX - 2 };
#define TRAP	((uint32_t)PROF_TRAP)
#define OUTSIDE ((uint32_t)PROF_OUTSIDE)

struct derive {
	struct prof *prof;
	const struct prof_counts *counts;
	const bool *is_mine;
	uint64_t base; /* of the offsets */
	struct counted *v;
	size_t nr;
	struct prof_key *keys, *spare;
};

/* The address as linked; false if there is no code. */
static bool linked_addr(const struct derive *d, prof_place place, uint64_t *addr)
{
	const struct prof_binary *b =
		&d->counts->binaries[prof_binary_of(place)];
	uint64_t len;

	if (!b->symbol)
		return prof_code_addr(d->prof->code, prof_offset_of(place),
				      addr);
	*addr = b->symbol_addr + prof_offset_of(place) - PROF_FROM_SYMBOL;
	return prof_code_bytes(d->prof->code, *addr, &len);
}

static uint32_t offset_of(const struct derive *d, prof_place place)
{
	uint64_t addr;

	if (place != PROF_NONE && d->is_mine[prof_binary_of(place)] &&
	    linked_addr(d, place, &addr) && addr - d->base <= MAX_OFFSET)
		return addr - d->base;
	return OUTSIDE;
}

static uint64_t addr_of(const struct derive *d, uint32_t offset)
{
	if (offset > MAX_OFFSET)
		return offset == TRAP ? PROF_TRAP : PROF_OUTSIDE;
	return d->base + offset;
}

static bool crosses(const struct derive *d, const struct prof_step *step)
{
	const struct prof_binary *b = d->counts->binaries;

	return b[prof_binary_of(step->from)].kernel !=
	       b[prof_binary_of(step->to)].kernel;
}

/* A trap within the kernel, or the return from it; also code that it has changed. */
static bool is_trap(const struct derive *d, const struct prof_step *step,
		    const struct counted *c)
{
	return c->from != OUTSIDE &&
	       d->counts->binaries[prof_binary_of(step->from)].kernel &&
	       !prof_code_leads(d->prof->code, addr_of(d, c->from),
				addr_of(d, c->to));
}

static void add_step(struct derive *d, const struct prof_step *step)
{
	struct counted c = { offset_of(d, step->from), offset_of(d, step->to),
			     offset_of(d, step->end), step->count,
			     step->mispredicted };

	if (c.from == OUTSIDE && c.to == OUTSIDE)
		return;
	d->prof->entries += c.count;
	if (crosses(d, step)) {
		d->prof->crossing += c.count;
		c.from = TRAP;
	} else if (is_trap(d, step, &c)) {
		d->prof->traps += c.count;
		c.from = TRAP;
	}
	if (c.to == OUTSIDE)
		c.end = OUTSIDE;
	if (c.end != OUTSIDE)
		d->prof->lines += c.count;
	d->v[d->nr++] = c;
}

/* The part of the sorted keys that are equal to the one at i: its end. */
static size_t same_keys(const struct derive *d, size_t i, size_t nr)
{
	uint64_t key = d->keys[i].key;

	while (i < nr && d->keys[i].key == key)
		i++;
	return i;
}

/* Sum up, and take out the lines that cannot be. False: out of memory. */
static bool add_ranges(struct derive *d)
{
	struct prof *prof = d->prof;
	size_t i, k, next, nr = 0, distinct = 0;

	for (i = 0; i < d->nr; i++)
		if (d->v[i].end != OUTSIDE)
			d->keys[nr++] = (struct prof_key){
				(uint64_t)d->v[i].to << 32 | d->v[i].end, i
			};
	prof_sort(d->keys, d->spare, nr);
	for (i = 0; i < nr; i = same_keys(d, i, nr))
		distinct++;
	prof->ranges = malloc((distinct + 1) * sizeof(*prof->ranges));
	if (!prof->ranges)
		return false;
	for (i = 0; i < nr; i = next) {
		struct prof_range r = {
			addr_of(d, d->keys[i].key >> 32),
			addr_of(d, (uint32_t)d->keys[i].key), 0
		};
		enum path_break why =
			prof_code_line(prof->code, r.start, r.end);

		next = same_keys(d, i, nr);
		for (k = i; k < next; k++) {
			struct counted *c = &d->v[d->keys[k].index];

			r.count += c->count;
			if (why != PATH_OK)
				c->end = OUTSIDE;
		}
		if (why == PATH_OK)
			prof->ranges[prof->nr_ranges++] = r;
		else
			prof->bad_lines[why] += r.count;
	}
	return true;
}

/* The same for branches and what they led to, once the lines are judged. */
static bool add_branches(struct derive *d)
{
	struct prof *prof = d->prof;
	struct prof_branch *b = NULL;
	struct prof_trace *t = NULL;
	size_t i;

	prof->branches = malloc((d->nr + 1) * sizeof(*prof->branches));
	prof->traces = malloc((d->nr + 1) * sizeof(*prof->traces));
	if (!prof->branches || !prof->traces)
		return false;
	for (i = 0; i < d->nr; i++)
		d->keys[i] = (struct prof_key){ d->v[i].end, i };
	prof_sort(d->keys, d->spare, d->nr);
	for (i = 0; i < d->nr; i++) {
		const struct counted *c = &d->v[d->keys[i].index];

		d->keys[i].key = (uint64_t)c->from << 32 | c->to;
	}
	prof_sort(d->keys, d->spare, d->nr);
	for (i = 0; i < d->nr; i++) {
		const struct counted *c = &d->v[d->keys[i].index];
		uint64_t from = addr_of(d, c->from), to = addr_of(d, c->to);
		uint64_t end = addr_of(d, c->end);

		if (!t || t->from != from || t->to != to || t->end != end) {
			t = &prof->traces[prof->nr_traces++];
			*t = (struct prof_trace){ from, to, end, 0, 0 };
		}
		t->count += c->count;
		t->mispredicted += c->mispredicted;
		if (from == PROF_TRAP)
			continue;
		if (!b || b->from != from || b->to != to) {
			b = &prof->branches[prof->nr_branches++];
			*b = (struct prof_branch){ from, to, 0, 0 };
		}
		b->count += c->count;
		b->mispredicted += c->mispredicted;
	}
	return true;
}

static int by_addr(const void *va, const void *vb)
{
	const struct prof_at *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
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
		uint32_t offset;

		if (!ip->count)
			continue;
		offset = offset_of(d, ip->at);
		if (offset != OUTSIDE)
			prof->ips[prof->nr_ips++] = (struct prof_at){
				addr_of(d, offset), ip->count
			};
	}
	qsort(prof->ips, prof->nr_ips, sizeof(*prof->ips), by_addr);
	return true;
}

int prof_derive(struct prof *prof, const struct prof_counts *counts,
		const bool *is_mine, const struct prof_code *code)
{
	struct derive d = { .prof = prof, .counts = counts, .is_mine = is_mine,
			    .base = code->segments[0].addr };
	bool done = false;
	size_t i;

	*prof = (struct prof){ .code = code };
	d.v = malloc((counts->nr_steps + 1) * sizeof(*d.v));
	d.keys = malloc((counts->nr_steps + 1) * sizeof(*d.keys));
	d.spare = malloc((counts->nr_steps + 1) * sizeof(*d.spare));
	if (d.v && d.keys && d.spare) {
		for (i = 0; i < (size_t)1 << counts->steps_bits; i++)
			if (counts->steps[i].count)
				add_step(&d, &counts->steps[i]);
		done = add_ranges(&d) && add_branches(&d) && add_ips(&d);
	}
	free(d.v);
	free(d.keys);
	free(d.spare);
	return done ? 0 : PD_ENOMEM;
}

void prof_free(struct prof *prof)
{
	free(prof->ranges);
	free(prof->branches);
	free(prof->traces);
	free(prof->ips);
	*prof = (struct prof){ 0 };
}
