// SPDX-License-Identifier: GPL-2.0-only
#include "profile/profile.h"
#include "base/array.h"
#include "profile/sort.h"
#include "profile/stale.h"

#include <stdlib.h>

/*
 * In place of the places in steps: 32-bit offsets from the first segment, so that
 * two of them are a key to sort by. Code beyond these 4 GiB is outside, and counted.
 */
enum { MAX_OFFSET = UINT32_MAX - 2 };
#define TRAP	((uint32_t)MAX_OFFSET + 1)
#define OUTSIDE ((uint32_t)MAX_OFFSET + 2)

struct derive {
	struct prof *prof;
	const struct prof_binary *binaries;
	const bool *is_mine;
	bool beyond; /* a place of the last step is in code that offsets do not reach */
};

bool prof_linked_addr(const struct prof_code *code,
		      const struct prof_binary *binary, count_place place,
		      uint64_t *addr)
{
	uint64_t len;

	if (!binary->symbol)
		return prof_code_addr(code, count_offset_of(place), addr);
	*addr = binary->symbol_addr + count_offset_of(place) - PROF_FROM_SYMBOL;
	return prof_code_bytes(code, *addr, &len);
}

static uint32_t offset_of(struct derive *d, count_place place)
{
	const unsigned int number = count_number_of(place);
	const struct prof_binary *b = &d->binaries[number];
	uint64_t addr;
	bool known;

	if (!d->is_mine[number])
		return OUTSIDE;
	known = b->stale ? prof_stale_addr(b->stale, count_offset_of(place), &addr) ==
				   PROF_STALE_SAME :
			   prof_linked_addr(d->prof->code, b, place, &addr);
	if (known && addr - d->prof->base <= MAX_OFFSET)
		return addr - d->prof->base;
	d->beyond |= known;
	return OUTSIDE;
}

static uint64_t addr_of(const struct prof *prof, uint32_t offset)
{
	if (offset > MAX_OFFSET)
		return offset == TRAP ? PROF_TRAP : PROF_OUTSIDE;
	return prof->base + offset;
}

/* Where the line ended that a step began. */
static uint64_t end_of(const struct prof *prof, const struct count_step *step)
{
	if (step->line == COUNT_NO_LINE)
		return PROF_OUTSIDE;
	return addr_of(prof, step->to) + (uint64_t)(int64_t)step->line;
}

static bool crosses(const struct derive *d, const struct count_step *step)
{
	return d->binaries[count_number_of(step->from)].kernel !=
	       d->binaries[count_number_of(step->to)].kernel;
}

/* A trap within the kernel, or the return from it; also code that it has changed. */
static bool is_trap(const struct derive *d, const struct count_step *step,
		    uint32_t from, uint32_t to)
{
	return from != OUTSIDE &&
	       d->binaries[count_number_of(step->from)].kernel &&
	       !prof_code_leads(d->prof->code, addr_of(d->prof, from),
				addr_of(d->prof, to));
}

/*
 * Can the code of user mode have made this branch? The same function of another build may call
 * what is elsewhere now.
 */
static void check_branch(struct derive *d, const struct count_step *step, uint32_t from,
			 uint32_t to)
{
	const struct prof_binary *b = &d->binaries[count_number_of(step->from)];
	struct prof *prof = d->prof;

	if (from == OUTSIDE || b->kernel || b->stale ||
	    count_number_of(step->to) < PROF_FIRST_BINARY)
		return;
	prof->branches += step->count;
	if (to == OUTSIDE ? !prof_code_branches(prof->code, addr_of(prof, from)) :
			    !prof_code_leads(prof->code, addr_of(prof, from), addr_of(prof, to)))
		prof->misfits += step->count;
}

/* The line at the code's own addresses, where other bytes may lie between. */
static int32_t linked_line(struct derive *d, const struct count_step *step,
			   uint32_t to)
{
	uint32_t end;
	int64_t line;

	if (to == OUTSIDE || step->line == COUNT_NO_LINE)
		return COUNT_NO_LINE;
	end = offset_of(d, step->to + (uint64_t)(int64_t)step->line);
	line = (int64_t)end - to;
	return end != OUTSIDE && line >= -INT32_MAX && line <= INT32_MAX ?
		       line :
		       COUNT_NO_LINE;
}

/* In place. False: the binary has no part in it. */
static bool place_step(struct derive *d, struct count_step *step)
{
	const uint64_t mispredicted = step->from & COUNT_MISPREDICTED;
	struct prof *prof = d->prof;
	uint32_t from, to;

	d->beyond = false;
	to = offset_of(d, step->to);
	from = offset_of(d, step->from & ~COUNT_MISPREDICTED);
	if (d->beyond)
		prof->beyond += step->count;
	if (from == OUTSIDE && to == OUTSIDE)
		return false;
	prof->entries += step->count;
	if (crosses(d, step)) {
		prof->crossing += step->count;
		from = TRAP;
	} else if (is_trap(d, step, from, to)) {
		prof->traps += step->count;
		from = TRAP;
	} else {
		check_branch(d, step, from, to);
	}
	step->line = linked_line(d, step, to);
	if (step->line != COUNT_NO_LINE)
		prof->lines += step->count;
	step->from = from | mispredicted;
	step->to = to;
	return true;
}

/* A step that was placed has lost where it leads, if that is outside. False: out of memory. */
static bool keep_away(struct prof *prof, const struct count_step *step, count_place to)
{
	const uint32_t from = step->from;

	if (step->to != OUTSIDE || from > MAX_OFFSET ||
	    !prof_code_is_indirect(prof->code, addr_of(prof, from)))
		return true;
	if (!array_room(&prof->aways, prof->nr_aways, &prof->cap_aways, sizeof(*prof->aways)))
		return false;
	prof->aways[prof->nr_aways++] =
		(struct prof_away){ addr_of(prof, from), to, step->count };
	return true;
}

/* Bring the steps that are of the binary to the front. False: out of memory. */
static bool place_steps(struct derive *d, size_t nr)
{
	struct count_step *v = d->prof->steps;
	size_t i;

	for (i = 0; i < nr; i++) {
		const count_place to = v[i].to;

		if (!place_step(d, &v[i]))
			continue;
		if (!keep_away(d->prof, &v[i], to))
			return false;
		v[d->prof->nr_steps++] = v[i];
	}
	return true;
}

static int away_order(const void *va, const void *vb)
{
	const struct prof_away *a = va, *b = vb;

	return a->from < b->from ? -1 : a->from > b->from;
}

/* The end of the lines that are equal to the one at i. */
static size_t same_lines(const struct prof *prof, size_t i)
{
	const struct count_step *s = &prof->steps[i];

	while (++i < prof->nr_steps && prof->steps[i].to == s->to &&
	       prof->steps[i].line == s->line)
		;
	return i;
}

/* Of steps by line, sum up, and take out the lines that cannot be. */
static bool add_ranges(struct prof *prof)
{
	struct count_step *v = prof->steps;
	size_t i, next, nr = 0;
	struct prof_range good = { 0 }; /* the last one */

	for (i = 0; i < prof->nr_steps; i = same_lines(prof, i))
		nr += v[i].line != COUNT_NO_LINE;
	prof->ranges = malloc((nr + 1) * sizeof(*prof->ranges));
	if (!prof->ranges)
		return false;
	for (i = 0; i < prof->nr_steps; i = next) {
		struct prof_range r = { addr_of(prof, v[i].to),
					end_of(prof, &v[i]), 0 };
		enum path_break why;
		size_t k;

		next = same_lines(prof, i);
		if (v[i].line == COUNT_NO_LINE)
			continue;
		for (k = i; k < next; k++)
			r.count += v[k].count;
		/* From one start the shortest comes first, and need not be again. */
		if (r.start == good.start && r.end - r.start <= PATH_MAX_LINE)
			why = prof_code_line(prof->code, good.end, r.end);
		else
			why = prof_code_line(prof->code, r.start, r.end);
		if (why == PATH_OK) {
			prof->ranges[prof->nr_ranges++] = good = r;
			continue;
		}
		prof->bad_lines[why] += r.count;
		for (k = i; k < next; k++)
			v[k].line = COUNT_NO_LINE;
	}
	return true;
}

int prof_derive(struct prof *prof, struct counts *counts,
		const struct prof_places *places, const bool *is_mine,
		const struct prof_code *code)
{
	struct derive d = { prof, places->binaries, is_mine, false };
	struct prof_branch branch;
	size_t at;

	*prof = (struct prof){ .code = code,
			       .binaries = places->binaries,
			       .base = code->segments.v[0].addr,
			       .weighed = counts->weighed };
	count_end(counts);
	prof->steps = counts->steps;
	if (!place_steps(&d, counts->nr_steps))
		return PD_ENOMEM;
	if (prof->nr_aways)
		qsort(prof->aways, prof->nr_aways, sizeof(*prof->aways), away_order);
	prof_sort(prof->steps, prof->nr_steps, PROF_BY_LINE);
	if (!add_ranges(prof))
		return PD_ENOMEM;
	prof_sort(prof->steps, prof->nr_steps, PROF_BY_BRANCH);
	for (at = 0; prof_next_branch(prof, &at, &branch);)
		prof->nr_branches++;
	return 0;
}

void prof_free(struct prof *prof)
{
	free(prof->ranges);
	free(prof->aways);
	*prof = (struct prof){ 0 };
}

const struct prof_away *prof_aways(const struct prof *prof, uint64_t from, size_t *nr)
{
	const size_t end = array_upto(prof->aways, prof->nr_aways, sizeof(*prof->aways), from);
	size_t first = end;

	while (first && prof->aways[first - 1].from == from)
		first--;
	*nr = end - first;
	return prof->aways + first;
}

bool prof_has_range(const struct prof *prof, uint64_t start, uint64_t end)
{
	size_t n = start < end ? array_upto(prof->ranges, prof->nr_ranges,
					    sizeof(*prof->ranges), end - 1) :
				 0;

	/* The last one that begins before the end. */
	return n && prof->ranges[n - 1].start >= start;
}

static bool same_branch(const struct count_step *a, const struct count_step *b)
{
	return (uint32_t)a->from == (uint32_t)b->from && a->to == b->to;
}

bool prof_next_branch(const struct prof *prof, size_t *at,
		      struct prof_branch *branch)
{
	const struct count_step *first = prof->steps + *at, *s;
	const struct count_step *end = prof->steps + prof->nr_steps;

	while (first < end && (uint32_t)first->from == TRAP)
		first++;
	if (first == end)
		return false;
	*branch = (struct prof_branch){ addr_of(prof, first->from),
					addr_of(prof, first->to), 0, 0 };
	for (s = first; s < end && same_branch(s, first); s++) {
		branch->count += s->count;
		if (s->from & COUNT_MISPREDICTED)
			branch->mispredicted += s->count;
	}
	*at = s - prof->steps;
	return true;
}

bool prof_next_trace(const struct prof *prof, size_t *at,
		     struct prof_trace *trace)
{
	const struct count_step *first = prof->steps + *at, *s;
	const struct count_step *end = prof->steps + prof->nr_steps;

	if (first == end)
		return false;
	*trace = (struct prof_trace){ addr_of(prof, first->from),
				      addr_of(prof, first->to),
				      end_of(prof, first), 0 };
	for (s = first; s < end && same_branch(s, first) &&
			s->line == first->line;
	     s++)
		trace->count += s->count;
	*at = s - prof->steps;
	return true;
}
