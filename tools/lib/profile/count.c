// SPDX-License-Identifier: GPL-2.0-only
#include "profile/count.h"
#include "path/path.h"

#include <stdlib.h>
#include <string.h>

enum {
	START_BITS = 12, /* of the slots */
	START_STEPS = 1 << (START_BITS - 1),
	/* Steps whose slots come from memory at the same time. */
	BATCH = 64,
};

#define OFFSET_MASK ((UINT64_C(1) << (PROF_OFFSET_BITS - 1)) - 1)

/* The mapping that the last address was in, as one subtraction. */
struct near {
	uint64_t start, size;
	uint64_t add; /* to an address, for its place */
};

/* A step to be counted. */
struct item {
	prof_place from, to;
	int32_t line;
	uint32_t slot; /* where the search for it begins */
};

/* A stack that is walked through, from the youngest transfer to the oldest. */
struct walk {
	const struct pd_event *ev;
	uint64_t at; /* the next transfer's number */
	prof_place end; /* the source of the one before: where its line ended */
	struct near near;
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
	counts->slots_bits = START_BITS;
	counts->slots = calloc(1 << START_BITS, sizeof(*counts->slots));
	if (counts->slots &&
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
	free(counts->slots);
	free(counts);
}

struct prof_step *prof_counts_take(struct prof_counts *counts, size_t *nr)
{
	struct prof_step *steps = counts->steps;

	*nr = counts->nr_steps;
	free(counts->slots);
	counts->steps = NULL;
	counts->slots = NULL;
	counts->nr_steps = counts->cap_steps = 0;
	return steps;
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
	near->add = (number << PROF_OFFSET_BITS) + offset - map->start;
	if (near->size > OFFSET_MASK + 1 - offset)
		near->size = 0;
	*place = number << PROF_OFFSET_BITS |
		 ((addr - map->start + offset) & OFFSET_MASK);
	return true;
}

/* The same, quick where the address is in the mapping of the one before. */
static inline bool place_of(struct prof_counts *counts, uint32_t pid,
			    uint64_t addr, struct near *near, prof_place *place)
{
	struct near found;
	prof_place its;
	bool ok;

	*place = addr + near->add;
	if (__builtin_expect(addr - near->start < near->size, 1))
		return true;
	/* Field by field, so that the caller's stay in registers. */
	found = (struct near){ near->start, near->size, near->add };
	ok = find_place(counts, pid, addr, &found, &its);
	near->start = found.start;
	near->size = found.size;
	near->add = found.add;
	*place = its;
	return ok;
}

/* --- the table --- */

/* The slot where a step's search begins. Of most, no bits of the sum overlap. */
static inline uint32_t slot_of(prof_place from, prof_place to, int32_t line,
			       unsigned int bits)
{
	uint64_t sum = from + (to << 21 | to >> 43) + ((uint64_t)line << 42);

	return sum * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
}

/* Steps are at most half as many as slots. */
static bool is_full(size_t nr, unsigned int bits)
{
	return 2 * nr > (size_t)1 << bits;
}

/* All the steps are found anew, so that the old slots need not stay meanwhile. */
static bool grow_slots(struct prof_counts *counts)
{
	unsigned int bits = ++counts->slots_bits;
	size_t mask = ((size_t)1 << bits) - 1, i, k;

	free(counts->slots);
	counts->slots = calloc(mask + 1, sizeof(*counts->slots));
	if (!counts->slots)
		return false;
	for (i = 0; i < counts->nr_steps; i++) {
		const struct prof_step *s = &counts->steps[i];

		k = slot_of(s->from, s->to, s->line, bits);
		while (counts->slots[k])
			k = (k + 1) & mask;
		counts->slots[k] = i + 1;
	}
	return true;
}

/* Room for a batch more. False: out of memory. */
static bool make_room(struct prof_counts *counts)
{
	size_t nr = counts->nr_steps + BATCH;

	if (nr > counts->cap_steps) {
		size_t cap = 2 * counts->cap_steps + START_STEPS;
		struct prof_step *steps;

		if (nr > UINT32_MAX)
			return false;
		steps = realloc(counts->steps, cap * sizeof(*steps));
		if (!steps)
			return false;
		counts->steps = steps;
		counts->cap_steps = cap;
	}
	return !is_full(nr, counts->slots_bits) || grow_slots(counts);
}

/* There is room for all of them. Not inlined: it needs all of the registers. */
__attribute__((noinline)) static void
count_items(struct prof_counts *counts, const struct item *item,
	    unsigned int nr, uint32_t weight)
{
	const uint32_t mask = (UINT64_C(1) << counts->slots_bits) - 1;
	const struct item *const end = item + nr;
	struct prof_step *const steps = counts->steps;
	uint32_t *const slots = counts->slots;

	for (; item < end; item++) {
		uint32_t i = item->slot, number;

		for (; (number = slots[i]); i = (i + 1) & mask) {
			struct prof_step *s = &steps[number - 1];

			if (s->to == item->to && s->from == item->from &&
			    s->line == item->line &&
			    s->count <= UINT32_MAX - weight) {
				s->count += weight;
				break;
			}
		}
		if (!number) {
			steps[counts->nr_steps++] = (struct prof_step){
				item->from, item->to, item->line, weight
			};
			slots[i] = counts->nr_steps;
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

static inline int32_t line_between(prof_place to, prof_place end)
{
	uint64_t line = end - to;

	return line + INT32_MAX < UINT32_MAX ? (int32_t)line : PROF_NO_LINE;
}

/*
 * The next transfers of a stack. Returns how many there are, 0: out of memory. Not
 * inlined, for its registers.
 */
__attribute__((noinline)) static unsigned int
take_items(struct prof_counts *counts, struct walk *walk, struct item *items)
{
	const struct pd_sample *sample = &walk->ev->sample;
	const uint32_t pid = walk->ev->pid;
	const uint64_t at = walk->at, left = sample->nr_branches - at;
	const unsigned int nr = left < BATCH ? left : BATCH;
	const uint32_t *const slots = counts->slots;
	const unsigned int bits = counts->slots_bits;
	prof_place end = walk->end, from, to;
	struct near near = walk->near;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct pd_branch br = pd_branch_at(sample, at + i);
		int32_t line;

		if (!place_of(counts, pid, br.to, &near, &to) ||
		    !place_of(counts, pid, br.from, &near, &from))
			return 0;
		line = line_between(to, end);
		end = from;
		if (pd_branch_mispredicted(br.flags))
			from |= PROF_MISPREDICTED;
		items[i] = (struct item){ from, to, line,
					  slot_of(from, to, line, bits) };
		__builtin_prefetch(&slots[items[i].slot]);
	}
	walk->at = at + nr;
	walk->end = end;
	walk->near = near;
	return nr;
}

/* Where a sample was taken. False: out of memory. */
static bool count_ip(struct prof_counts *counts, struct walk *walk)
{
	struct item item = { .from = PROF_SAMPLED, .line = PROF_NO_LINE };

	if (!make_room(counts) ||
	    !find_place(counts, walk->ev->pid, walk->ev->sample.ip, &walk->near,
			&item.to))
		return false;
	item.slot = slot_of(item.from, item.to, item.line, counts->slots_bits);
	count_items(counts, &item, 1, 1);
	return true;
}

int prof_counts_sample(struct prof_counts *counts, const struct pd_event *ev)
{
	/* At first the end of a line is in no binary. */
	struct walk walk = { .ev = ev, .end = PROF_MISPREDICTED };
	const uint64_t nr = ev->sample.nr_branches;
	const uint32_t weight = weight_of(counts, &ev->sample);
	struct item items[BATCH];

	if (!count_ip(counts, &walk))
		return PD_ENOMEM;
	while (walk.at < nr) {
		unsigned int n = make_room(counts) ?
					 take_items(counts, &walk, items) :
					 0;

		if (!n)
			return PD_ENOMEM;
		count_items(counts, items, n, weight);
	}
	counts->samples++;
	counts->empty += !nr;
	counts->entries += nr;
	counts->weight += weight * nr;
	return 0;
}
