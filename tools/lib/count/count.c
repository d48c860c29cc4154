// SPDX-License-Identifier: GPL-2.0-only
#include "count/count.h"

#include <stdlib.h>

enum {
	START_BITS = 12, /* of the slots */
	START_STEPS = 1 << (START_BITS - 1),
	/* Steps whose slots come from memory at the same time. */
	BATCH = 64,
};

/* A mapping that an address was in, as one subtraction. */
struct near {
	uint64_t start, size;
	uint64_t add; /* to an address, for its place */
};

/* A step to be counted. */
struct item {
	count_place from, to;
	int32_t line;
	uint32_t slot; /* where the search for it begins */
};

/* A stack that is walked through, from the youngest transfer to the oldest. */
struct walk {
	const struct pd_event *ev;
	uint64_t at; /* the next transfer's number */
	count_place end; /* the source of the one before: where its line ended */
	struct near near; /* where the last address was */
	struct near before; /* where others were */
};

/* --- places --- */

static inline bool is_near(const struct near *near, uint64_t addr)
{
	return addr - near->start < near->size;
}

static bool look_up(struct counts *counts, uint32_t pid, uint64_t addr,
		    struct near *near)
{
	struct count_map map;
	count_place place;

	if (!counts->find(counts->arg, pid, addr, &map))
		return false;
	place = (map.offset + addr - map.start) & COUNT_OFFSET_MASK;
	place |= (uint64_t)map.number << COUNT_OFFSET_BITS;
	*near = (struct near){ map.start, map.size, place - addr };
	/* What would reach into the next number's places is looked up again. */
	if (map.size > COUNT_OFFSET_MASK + 1 - (map.offset & COUNT_OFFSET_MASK))
		near->size = 0;
	return true;
}

/* The slow way: let walk->near tell the address's place. False: out of memory. */
static bool go_near(struct counts *counts, struct walk *walk, uint64_t addr)
{
	const struct near before = walk->before;

	if (is_near(&walk->near, addr))
		return true;
	/* A call leads to another library, and its return back. */
	walk->before = walk->near;
	walk->near = before;
	return is_near(&before, addr) ||
	       look_up(counts, walk->ev->pid, addr, &walk->near);
}

/* --- the table --- */

/* The slot where a step's search begins. Of most, no bits of the sum overlap. */
static inline uint32_t slot_of(count_place from, count_place to, int32_t line,
			       unsigned int bits)
{
	uint64_t sum = from + (to << 21 | to >> 43) + ((uint64_t)line << 42);

	return sum * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
}

/* All the steps are found anew, so that the old slots need not stay meanwhile. */
static bool grow_slots(struct counts *counts)
{
	unsigned int bits = counts->slots ? counts->slots_bits + 1 : START_BITS;
	size_t mask = ((size_t)1 << bits) - 1, i, k;

	free(counts->slots);
	counts->slots = calloc(mask + 1, sizeof(*counts->slots));
	if (!counts->slots)
		return false;
	counts->slots_bits = bits;
	for (i = 0; i < counts->nr_steps; i++) {
		const struct count_step *s = &counts->steps[i];

		k = slot_of(s->from, s->to, s->line, bits);
		while (counts->slots[k])
			k = (k + 1) & mask;
		counts->slots[k] = i + 1;
	}
	return true;
}

static bool grow_steps(struct counts *counts)
{
	size_t cap = 2 * counts->cap_steps + START_STEPS;
	struct count_detail *details;
	struct count_step *steps;

	steps = realloc(counts->steps, cap * sizeof(*steps));
	if (!steps)
		return false;
	counts->steps = steps;
	if (counts->detailed) {
		details = realloc(counts->details, cap * sizeof(*details));
		if (!details)
			return false;
		counts->details = details;
	}
	counts->cap_steps = cap;
	return true;
}

/* Room for a batch more. False: out of memory. */
static bool make_room(struct counts *counts)
{
	size_t nr = counts->nr_steps + BATCH;

	if (nr > UINT32_MAX || (nr > counts->cap_steps && !grow_steps(counts)))
		return false;
	/* Steps are at most half as many as slots. */
	return 2 * nr <= (size_t)1 << counts->slots_bits || grow_slots(counts);
}

static inline bool same_detail(const struct count_detail *a,
			       const struct count_detail *b)
{
	return a->type == b->type && a->youngest == b->youngest;
}

/* There is room for all of them. detail: of each of them, or NULL. */
static inline __attribute__((always_inline)) void
put_items(struct counts *counts, const struct item *item, unsigned int nr,
	  uint32_t weight, const struct count_detail *detail)
{
	const uint32_t mask = (UINT64_C(1) << counts->slots_bits) - 1;
	const struct item *const end = item + nr;
	struct count_detail *const details = counts->details;
	struct count_step *const steps = counts->steps;
	uint32_t *const slots = counts->slots;

	for (; item < end; item++) {
		uint32_t i = item->slot, number;

		for (; (number = slots[i]); i = (i + 1) & mask) {
			struct count_step *s = &steps[number - 1];

			if (s->to == item->to && s->from == item->from &&
			    s->line == item->line &&
			    s->count <= UINT32_MAX - weight &&
			    (!detail || same_detail(&details[number - 1],
						    detail))) {
				s->count += weight;
				break;
			}
		}
		if (!number) {
			steps[counts->nr_steps++] = (struct count_step){
				item->from, item->to, item->line, weight
			};
			slots[i] = counts->nr_steps;
		}
		if (!detail)
			continue;
		if (number) {
			details[number - 1].cycles += detail->cycles;
			details[number - 1].timed += detail->timed;
		} else {
			details[counts->nr_steps - 1] = *detail;
		}
		detail++;
	}
}

/* Two of them, and not inlined, since each needs all of the registers. */
__attribute__((noinline)) static void
count_items(struct counts *counts, const struct item *items, unsigned int nr,
	    uint32_t weight)
{
	put_items(counts, items, nr, weight, NULL);
}

__attribute__((noinline)) static void
count_detailed(struct counts *counts, const struct item *items, unsigned int nr,
	       uint32_t weight, const struct count_detail *details)
{
	put_items(counts, items, nr, weight, details);
}

/* What each transfer of a stack is counted for. */
static uint32_t weight_of(const struct counts *counts,
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
	if (span < COUNT_EVEN_LEAST)
		span = COUNT_EVEN_LEAST;
	return span < COUNT_EVEN ? (COUNT_EVEN + span / 2) / span : 1;
}

static inline int32_t line_between(count_place to, count_place end)
{
	uint64_t line = end - to;

	return line + INT32_MAX < UINT32_MAX ? (int32_t)line : COUNT_NO_LINE;
}

/*
 * The next transfers of a stack. Returns how many there are, 0: out of memory. Not
 * inlined, for its registers.
 */
__attribute__((noinline)) static unsigned int
take_items(struct counts *counts, struct walk *walk, struct item *items)
{
	const struct pd_sample *sample = &walk->ev->sample;
	const uint64_t at = walk->at, left = sample->nr_branches - at;
	const unsigned int nr = left < BATCH ? left : BATCH;
	const uint32_t *const slots = counts->slots;
	const unsigned int bits = counts->slots_bits;
	struct near near = walk->near;
	count_place end = walk->end;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct pd_branch br = pd_branch_at(sample, at + i);
		count_place to = br.to + near.add, from = br.from + near.add;
		int32_t line;

		if (__builtin_expect(!is_near(&near, br.to) ||
				     !is_near(&near, br.from), 0)) {
			if (!go_near(counts, walk, br.to))
				return 0;
			to = br.to + walk->near.add;
			if (!go_near(counts, walk, br.from))
				return 0;
			near = walk->near;
			from = br.from + near.add;
		}
		line = line_between(to, end);
		end = from;
		if (pd_branch_mispredicted(br.flags))
			from |= COUNT_MISPREDICTED;
		items[i] = (struct item){ from, to, line,
					  slot_of(from, to, line, bits) };
		__builtin_prefetch(&slots[items[i].slot]);
	}
	walk->at = at + nr;
	walk->end = end;
	return nr;
}

/* What else there is of the transfers from first on. */
static void take_details(struct counts *counts, const struct pd_sample *sample,
			 uint64_t first, unsigned int nr,
			 struct count_detail *details)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		uint64_t flags = pd_branch_at(sample, first + i).flags;
		unsigned int cycles = pd_branch_cycles(flags);

		counts->flags |= flags;
		details[i] = (struct count_detail){
			.cycles = cycles, .timed = !!cycles,
			.type = pd_branch_type(flags), .youngest = !(first + i)
		};
	}
}

/* Where a sample was taken. False: out of memory. */
static bool count_ip(struct counts *counts, struct walk *walk)
{
	struct item item = { .from = COUNT_SAMPLED, .line = COUNT_NO_LINE };
	const uint64_t ip = walk->ev->sample.ip;

	if (!make_room(counts) || !go_near(counts, walk, ip))
		return false;
	item.to = ip + walk->near.add;
	item.slot = slot_of(item.from, item.to, item.line, counts->slots_bits);
	count_items(counts, &item, 1, 1);
	return true;
}

bool count_sample(struct counts *counts, const struct pd_event *ev)
{
	/* At first the end of a line is in no number. */
	struct walk walk = { .ev = ev, .end = COUNT_MISPREDICTED };
	const uint64_t nr = ev->sample.nr_branches;
	const uint32_t weight = weight_of(counts, &ev->sample);
	struct count_detail details[BATCH];
	struct item items[BATCH];

	if (!counts->detailed && !count_ip(counts, &walk))
		return false;
	while (walk.at < nr) {
		unsigned int n = make_room(counts) ?
					 take_items(counts, &walk, items) :
					 0;

		if (!n)
			return false;
		if (counts->detailed) {
			take_details(counts, &ev->sample, walk.at - n, n,
				     details);
			count_detailed(counts, items, n, weight, details);
		} else {
			count_items(counts, items, n, weight);
		}
	}
	counts->samples++;
	counts->empty += !nr;
	counts->entries += nr;
	counts->weight += weight * nr;
	return true;
}

void count_end(struct counts *counts)
{
	free(counts->slots);
	counts->slots = NULL;
}

void count_free(struct counts *counts)
{
	free(counts->slots);
	free(counts->steps);
	free(counts->details);
	*counts = (struct counts){ 0 };
}
