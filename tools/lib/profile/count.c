// SPDX-License-Identifier: GPL-2.0-only
#include "profile/count.h"
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

enum {
	START_BITS = 12,
	/* Transfers that are looked up together, so that their slots come from
	 * memory at the same time. */
	BATCH = 64,
};

#define OFFSET_MASK ((UINT64_C(1) << PROF_OFFSET_BITS) - 1)

/* The mapping that the last address was in, as one subtraction. */
struct near {
	uint64_t start, size;
	uint64_t add; /* to an offset from start, for the place */
};

static bool add_binary(struct prof_counts *counts, const char *name,
		       const uint8_t *id, unsigned int size, bool kernel)
{
	unsigned int n = counts->nr_binaries;
	struct prof_binary *b;

	if (n == PROF_MAX_BINARIES - 1)
		return false;
	/* Room grows at the powers of two. */
	if (!(n & (n - 1))) {
		b = realloc(counts->binaries, (n ? 2 * n : 1) * sizeof(*b));
		if (!b)
			return false;
		counts->binaries = b;
	}
	b = &counts->binaries[n];
	*b = (struct prof_binary){ .name = strdup(name), .build_id_size = size,
				   .kernel = kernel };
	if (!b->name)
		return false;
	if (size)
		memcpy(b->build_id, id, size);
	counts->nr_binaries++;
	return true;
}

struct prof_counts *prof_counts_new(void)
{
	struct prof_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->steps_bits = counts->ips_bits = START_BITS;
	counts->steps = calloc(1 << START_BITS, sizeof(*counts->steps));
	counts->ips = calloc(1 << START_BITS, sizeof(*counts->ips));
	if (counts->steps && counts->ips &&
	    add_binary(counts, "[unknown]", NULL, 0, false) &&
	    add_binary(counts, "[kernel]", NULL, 0, true))
		return counts;
	prof_counts_free(counts);
	return NULL;
}

void prof_counts_free(struct prof_counts *counts)
{
	unsigned int i;

	if (!counts)
		return;
	for (i = 0; i < counts->nr_binaries; i++)
		free(counts->binaries[i].name);
	free(counts->binaries);
	free(counts->numbers);
	free(counts->steps);
	free(counts->ips);
	free(counts);
}

void prof_counts_begin(struct prof_counts *counts, struct pd_space *space)
{
	counts->space = space;
	if (counts->cap_numbers)
		memset(counts->numbers, 0,
		       counts->cap_numbers * sizeof(*counts->numbers));
}

/* --- places --- */

static bool same_binary(const struct prof_binary *b, const struct pd_map *map)
{
	return b->kernel == map->kernel &&
	       b->build_id_size == map->dso->build_id_size &&
	       !memcmp(b->build_id, map->dso->build_id, b->build_id_size) &&
	       !strcmp(b->name, map->dso->name);
}

/* Not one of its modules, which are files of their own. */
static bool is_kernel_itself(const struct prof_counts *counts,
			     const struct pd_map *map)
{
	return map->kernel && map->dso == pd_space_kernel(counts->space).dso;
}

/* The number of a mapped file's binary; 0: out of memory. */
static unsigned int number_of(struct prof_counts *counts,
			      const struct pd_map *map)
{
	const struct pd_dso *dso = map->dso;
	unsigned int i;

	if (dso->id >= counts->cap_numbers) {
		unsigned int cap = 2 * dso->id + 64, *numbers;

		numbers = realloc(counts->numbers, cap * sizeof(*numbers));
		if (!numbers)
			return 0;
		memset(numbers + counts->cap_numbers, 0,
		       (cap - counts->cap_numbers) * sizeof(*numbers));
		counts->numbers = numbers;
		counts->cap_numbers = cap;
	}
	if (counts->numbers[dso->id])
		return counts->numbers[dso->id];
	for (i = PROF_FIRST_BINARY; i < counts->nr_binaries; i++)
		if (same_binary(&counts->binaries[i], map))
			break;
	if (i == counts->nr_binaries &&
	    !add_binary(counts, dso->name, dso->build_id, dso->build_id_size,
			map->kernel))
		return 0;
	if (is_kernel_itself(counts, map))
		counts->binaries[i].symbol =
			counts->binaries[i].name +
			(pd_space_kernel(counts->space).symbol - dso->name);
	return counts->numbers[dso->id] = i;
}

/* The offset of a mapping's start, in its file or from the kernel's symbol. */
static uint64_t start_offset(const struct prof_counts *counts,
			     const struct pd_map *map)
{
	uint64_t offset = map->pgoff;

	if (is_kernel_itself(counts, map))
		offset = map->start - pd_space_kernel(counts->space).addr +
			 PROF_FROM_SYMBOL;
	return offset & OFFSET_MASK;
}

/* The slow way, which leaves the mapping in *near. False: out of memory. */
static bool find_place(struct prof_counts *counts, uint32_t pid, uint64_t addr,
		       struct near *near, prof_place *place)
{
	const struct pd_map *map = pd_space_find(counts->space, pid, addr);
	uint64_t number, offset;

	if (!map) {
		number = path_is_kernel(addr) ? PROF_KERNEL : PROF_NOWHERE;
		*place = number << PROF_OFFSET_BITS;
		return true;
	}
	number = number_of(counts, map);
	if (!number)
		return false;
	offset = start_offset(counts, map);
	near->start = map->start;
	/* What would reach into the next binary's places is looked up again. */
	near->size = map->end - map->start;
	near->add = (number << PROF_OFFSET_BITS) + offset;
	if (near->size > OFFSET_MASK + 1 - offset)
		near->size = 0;
	*place = number << PROF_OFFSET_BITS |
		 ((addr - map->start + offset) & OFFSET_MASK);
	return true;
}

/* --- tables --- */

static size_t hash_step(prof_place from, prof_place to, prof_place end,
			unsigned int bits)
{
	uint64_t hash = from * UINT64_C(0x9e3779b97f4a7c15) +
			to * UINT64_C(0xc2b2ae3d27d4eb4f) +
			end * UINT64_C(0x165667b19e3779f9);

	return (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15) >>
	       (64 - bits);
}

static size_t hash_ip(prof_place at, unsigned int bits)
{
	return at * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
}

/* The step's slot, if it has room, or the empty one where it belongs. */
static struct prof_step *find_step(struct prof_step *steps, unsigned int bits,
				   size_t i, const struct prof_step *step)
{
	size_t mask = ((size_t)1 << bits) - 1;

	while (steps[i].count &&
	       (steps[i].from != step->from || steps[i].to != step->to ||
		steps[i].end != step->end ||
		steps[i].count > UINT32_MAX - step->count))
		i = (i + 1) & mask;
	return &steps[i];
}

static struct prof_ip *find_ip(struct prof_ip *ips, unsigned int bits,
			       prof_place at)
{
	size_t mask = ((size_t)1 << bits) - 1, i = hash_ip(at, bits);

	while (ips[i].count && ips[i].at != at)
		i = (i + 1) & mask;
	return &ips[i];
}

static bool grow_steps(struct prof_counts *counts)
{
	unsigned int bits = counts->steps_bits + 1;
	struct prof_step *old = counts->steps, *steps;
	size_t mask = ((size_t)1 << bits) - 1, i, k;

	steps = calloc((size_t)1 << bits, sizeof(*steps));
	if (!steps)
		return false;
	for (i = 0; i < (size_t)1 << counts->steps_bits; i++) {
		if (!old[i].count)
			continue;
		k = hash_step(old[i].from, old[i].to, old[i].end, bits);
		while (steps[k].count)
			k = (k + 1) & mask;
		steps[k] = old[i];
	}
	free(old);
	counts->steps = steps;
	counts->steps_bits = bits;
	return true;
}

static bool grow_ips(struct prof_counts *counts)
{
	unsigned int bits = counts->ips_bits + 1;
	struct prof_ip *old = counts->ips, *ips;
	size_t i;

	ips = calloc((size_t)1 << bits, sizeof(*ips));
	if (!ips)
		return false;
	for (i = 0; i < (size_t)1 << counts->ips_bits; i++)
		if (old[i].count)
			*find_ip(ips, bits, old[i].at) = old[i];
	free(old);
	counts->ips = ips;
	counts->ips_bits = bits;
	return true;
}

static bool is_full(uint64_t nr, unsigned int bits)
{
	return 2 * nr > (uint64_t)1 << bits;
}

static bool count_ip(struct prof_counts *counts, prof_place at)
{
	struct prof_ip *ip = find_ip(counts->ips, counts->ips_bits, at);

	if (!ip->count++) {
		ip->at = at;
		counts->nr_ips++;
		return !is_full(counts->nr_ips, counts->ips_bits) ||
		       grow_ips(counts);
	}
	return true;
}

/* There is room for all of them. */
static void count_steps(struct prof_counts *counts,
			const struct prof_step *steps, const size_t *hashes,
			unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct prof_step *slot = find_step(counts->steps,
						   counts->steps_bits,
						   hashes[i], &steps[i]);

		if (!slot->count) {
			*slot = steps[i];
			counts->nr_steps++;
		} else {
			slot->count += steps[i].count;
			slot->mispredicted += steps[i].mispredicted;
		}
	}
}

/* What each transfer of a stack is counted for. */
static uint32_t weight_of(const struct prof_counts *counts,
			  const struct pd_sample *sample)
{
	enum { LONGEST = 1 << 16 }; /* beyond it is no line, but a jump unseen */
	uint64_t span = 0, i;

	if (!counts->even)
		return 1;
	for (i = 1; i < sample->nr_branches; i++) {
		uint64_t line = pd_branch_at(sample, i - 1).from -
				pd_branch_at(sample, i).to;

		/* The instruction at its end has 2 or 4 bytes. */
		if (line < LONGEST)
			span += line + 3;
	}
	if (span < PROF_EVEN_LEAST)
		span = PROF_EVEN_LEAST;
	return span < PROF_EVEN ? (PROF_EVEN + span / 2) / span : 1;
}

int prof_counts_sample(struct prof_counts *counts, const struct pd_event *ev)
{
	const struct pd_sample *sample = &ev->sample;
	struct prof_step steps[BATCH];
	struct near near = { 0 };
	size_t hashes[BATCH];
	prof_place end = PROF_NONE, place;
	uint32_t weight = weight_of(counts, sample);
	uint64_t i = 0;

	if (!find_place(counts, ev->pid, sample->ip, &near, &place) ||
	    !count_ip(counts, place))
		return PD_ENOMEM;
	counts->samples++;
	counts->empty += !sample->nr_branches;
	counts->entries += sample->nr_branches;
	counts->weight += weight * sample->nr_branches;
	while (i < sample->nr_branches) {
		unsigned int n = 0;

		while (is_full(counts->nr_steps + BATCH, counts->steps_bits))
			if (!grow_steps(counts))
				return PD_ENOMEM;
		for (; n < BATCH && i < sample->nr_branches; n++, i++) {
			struct pd_branch br = pd_branch_at(sample, i);
			struct prof_step *step = &steps[n];

			step->to = br.to - near.start + near.add;
			if (br.to - near.start >= near.size &&
			    !find_place(counts, ev->pid, br.to, &near,
					&step->to))
				return PD_ENOMEM;
			step->from = br.from - near.start + near.add;
			if (br.from - near.start >= near.size &&
			    !find_place(counts, ev->pid, br.from, &near,
					&step->from))
				return PD_ENOMEM;
			step->end = end;
			step->count = weight;
			step->mispredicted =
				pd_branch_mispredicted(br.flags) ? weight : 0;
			end = step->from;
			hashes[n] = hash_step(step->from, step->to, step->end,
					      counts->steps_bits);
			__builtin_prefetch(&counts->steps[hashes[n]], 1);
		}
		count_steps(counts, steps, hashes, n);
	}
	return 0;
}
