// SPDX-License-Identifier: GPL-2.0-only
#include "count/count.h"
#include "base/large.h"
#include "count/early.h"
#include "path/path.h"
#include "riscv/rv_insn.h"

#include <stdlib.h>
#include <string.h>

enum {
	START_SLOTS = 1 << 12,
	START_STEPS = START_SLOTS / 2,
	/* Steps whose slots come from memory at the same time. */
	BATCH = WEIGH_BATCH,
	/* The longest line whose code need not tell that there is no jump in it. */
	MAX_TRUSTED = 1 << 16,
};

/* A mapping that an address was in, as one subtraction, and not larger than a line. */
struct near {
	uint64_t start, size;
	count_place place; /* of start */
};

/* A step to be counted. */
struct item {
	count_place from, to;
	int32_t line;
	uint32_t hash; /* of these */
	uint64_t flags; /* of the transfer */
};

/* What is known of a stack, beside its transfers. */
struct stack {
	uint64_t nr; /* its transfers */
	bool by_time; /* the samples are by something else than instructions */
	bool late; /* the sample may have been due in another line (weigh.h) */
};

/* A stack that is walked through, from the youngest transfer to the oldest. */
struct walk {
	const struct pd_event *ev;
	uint64_t at; /* the next transfer's number */
	count_place end; /* the source of the one before: where its line ended */
	struct near near; /* where the last address was */
	struct near before; /* where others were */
	uint64_t flags; /* of all transfers so far, combined with OR */
};

/* Transfers of a stack, on their way to be counted. */
struct batch {
	struct stack of;
	struct item items[BATCH];
	/* of each step plus 1, as far as its slot tells it; 0: it is new */
	uint32_t numbers[BATCH];
	uint32_t lengths[BATCH + WEIGH_LANES]; /* of the lines, if they are weighed */
	unsigned int nr; /* 0: there are none */
	bool first, last; /* those with the youngest and with the oldest transfer */
	uint64_t flags; /* of these and the younger ones, combined with OR */
	uint64_t before; /* the flags of the transfer before the first of them */
};

/*
 * A batch waits three times: for the slots of its steps, for the steps, and for the numbers that
 * tell its weights. Meanwhile the batches after it are filled and those before it are counted.
 * So what the slots told when they came is only a hint, because steps may have been added since
 * then.
 */
enum { FILLED = 1, FOUND, STARTED, WAITING = STARTED };

/* Where addresses of a process were, as long as its mappings stay the same. */
struct known {
	uint64_t maps; /* as the caller numbers them */
	uint32_t pid;
	struct near near, before;
};

struct count_queue {
	struct batch batches[WAITING + 1];
	unsigned int next; /* the one to fill; those before it wait */
	bool kept; /* the current stack is among those that are kept */
	bool waits; /* the current stack is among the early ones */
	struct early early;
	struct known known;
};

/* --- places --- */

static inline bool is_near(const struct near *near, uint64_t addr)
{
	return addr - near->start < near->size;
}

static count_place place_in(const struct count_map *map, uint64_t addr)
{
	return ((map->offset + addr - map->start) & COUNT_OFFSET_MASK) |
	       (uint64_t)map->number << COUNT_OFFSET_BITS;
}

static bool look_up(struct counts *counts, uint32_t pid, uint64_t addr,
		    struct near *near)
{
	uint64_t start, size;
	struct count_map map;

	if (!counts->find(counts->arg, pid, addr, &map))
		return false;
	start = map.start;
	/* Of a large one what is around the address. */
	if (map.size > INT32_MAX && addr - start > INT32_MAX / 2)
		start = addr - INT32_MAX / 2;
	size = map.size - (start - map.start);
	if (size > INT32_MAX)
		size = INT32_MAX;
	*near = (struct near){ start, size, place_in(&map, start) };
	/* What would reach into the next number's places is looked up again. */
	if (size > COUNT_OFFSET_MASK + 1 - (near->place & COUNT_OFFSET_MASK))
		*near = (struct near){ addr, 0, place_in(&map, addr) };
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

/*
 * A slot has the number of a step plus 1 in its low bits, as many as the number of slots
 * has, and else its hash. The search for a step begins at the slot that the low bits of
 * its hash tell. So a slot mostly tells whether it is of another step.
 */
static inline bool may_be(uint32_t slot, uint32_t hash, uint32_t mask)
{
	return (slot ^ hash) <= mask;
}

/*
 * Of most, no bits of the sum overlap. All of them have their part in the product's
 * highest bits, so the bytes of these become the lowest, which tell the slot.
 */
static inline uint32_t hash_of(count_place from, count_place to, int32_t line)
{
	uint64_t sum = from + (to << 21 | to >> 43) + ((uint64_t)line << 42);

	return __builtin_bswap64(sum * UINT64_C(0x9e3779b97f4a7c15));
}

static size_t size_of_slots(const struct counts *counts)
{
	return counts->slots ? ((size_t)counts->slots_mask + 1) * sizeof(*counts->slots) : 0;
}

static void free_slots(struct counts *counts)
{
	large_free(counts->slots, size_of_slots(counts));
	counts->slots = NULL;
	counts->slots_mask = 0;
}

/*
 * All the steps are found anew, so that the old slots need not stay meanwhile. If there is no
 * memory for the new ones, there are none until the next call.
 */
static bool grow_slots(struct counts *counts)
{
	size_t mask = START_SLOTS - 1;
	size_t i, k;

	while (counts->nr_steps + BATCH > mask / 2)
		mask = 2 * mask + 1;
	free_slots(counts);
	counts->slots = large_new((mask + 1) * sizeof(*counts->slots));
	if (!counts->slots)
		return false;
	counts->slots_mask = mask;
	for (i = 0; i < counts->nr_steps; i++) {
		const struct count_step *s = &counts->steps[i];
		const uint32_t hash = hash_of(s->from, s->to, s->line);

		for (k = hash & mask; counts->slots[k];)
			k = (k + 1) & mask;
		counts->slots[k] = (i + 1) | (hash & ~mask);
	}
	return true;
}

static bool grow_steps(struct counts *counts)
{
	size_t cap = 2 * counts->cap_steps + START_STEPS;
	struct count_detail *details;
	struct count_step *steps;

	if (counts->detailed) {
		details = large_grow(counts->details, counts->cap_details * sizeof(*details),
				     cap * sizeof(*details));
		if (!details)
			return false;
		counts->details = details;
		counts->cap_details = cap;
	}
	steps = large_grow(counts->steps, counts->cap_steps * sizeof(*steps),
			   cap * sizeof(*steps));
	if (!steps)
		return false;
	counts->steps = steps;
	counts->cap_steps = cap;
	return true;
}

/* Room for a batch more. False: out of memory. */
static inline bool make_room(struct counts *counts)
{
	size_t nr = counts->nr_steps + BATCH;

	if (nr > UINT32_MAX / 2 || (nr > counts->cap_steps && !grow_steps(counts)))
		return false;
	/* Steps are at most half as many as slots. */
	return nr <= counts->slots_mask / 2 || grow_slots(counts);
}

/* Where steps are found; it stays while there is room. */
struct table {
	struct count_step *steps;
	struct count_detail *details;
	uint32_t *slots;
	uint32_t mask;
};

static inline struct table table_of(const struct counts *counts)
{
	return (struct table){ counts->steps, counts->details, counts->slots,
			       counts->slots_mask };
}

/* How many instructions a line has, as far as its bytes tell; 1: a jump in it was not seen. */
static inline uint32_t about(const struct item *item)
{
	enum { INSN_BYTES = 3 };

	/* At its end is one more. */
	return item->line >= 0 && item->line < MAX_TRUSTED ?
		       1 + (uint32_t)item->line / INSN_BYTES :
		       1;
}

/* By its code. Of the instruction at its end two bytes tell that it begins. */
static uint32_t length_by(const uint8_t *code, uint32_t line)
{
	if (line >= MAX_TRUSTED && rv_run_on(code, line, line + 2, 0) != line)
		return 1;
	return rv_count_insns(code, line + 2) ?: 1;
}

/* Of a line that is counted for the first time. */
static uint32_t length_of(const struct counts *counts, const struct item *item)
{
	const uint8_t *code = NULL;
	uint64_t len;

	if (counts->code && item->line >= 0 && (uint32_t)item->line <= PATH_MAX_LINE)
		code = counts->code(counts->arg, item->to, &len);
	return code && (uint32_t)item->line + 2 <= len ? length_by(code, item->line) :
							 about(item);
}

/* If details are stored, type and youngest are a part of the step. */
static inline bool is_step(const struct table *table, uint32_t number, const struct item *item,
			   bool detailed, unsigned int type, bool youngest)
{
	const struct count_step *s = &table->steps[number];

	return s->to == item->to && s->from == item->from && s->line == item->line &&
	       (!detailed || (table->details[number].type == type &&
			      table->details[number].youngest == youngest));
}

/* The slow way to an item's step, which may be new. There is room for it. */
__attribute__((noinline)) static uint32_t
search_step(struct counts *counts, const struct item *item, unsigned int type, bool youngest)
{
	const struct table table = table_of(counts);
	uint32_t i = item->hash & table.mask, slot, number;

	for (; (slot = table.slots[i]); i = (i + 1) & table.mask) {
		number = (slot & table.mask) - 1;
		if (may_be(slot, item->hash, table.mask) &&
		    is_step(&table, number, item, counts->detailed, type, youngest))
			return number;
	}
	number = counts->nr_steps++;
	table.slots[i] = (number + 1) | (item->hash & ~table.mask);
	table.steps[number] = (struct count_step){
		item->from, item->to, 0, item->line,
		counts->weighed || counts->measured ? length_of(counts, item) : 0
	};
	if (counts->detailed)
		table.details[number] = (struct count_detail){ .type = type, .youngest = youngest };
	return number;
}

/*
 * The number of an item's step, with its details added if they are counted. seen: the step's
 * number plus 1, as fetch_steps() tells.
 */
static inline __attribute__((always_inline)) uint32_t
step_of(struct counts *counts, const struct table *table, const struct item *item,
	uint32_t seen, bool detailed, bool youngest)
{
	const unsigned int cycles = detailed ? pd_branch_cycles(item->flags) : 0;
	const unsigned int type = detailed ? pd_branch_type(item->flags) : 0;
	uint32_t step = seen - 1;

	if (!seen || !is_step(table, step, item, detailed, type, youngest))
		step = search_step(counts, item, type, youngest);
	/* Most harts do not count cycles. */
	if (cycles) {
		table->details[step].cycles += cycles;
		table->details[step].timed++;
	}
	return step;
}

/* seen: the number of an element plus 1, or 0. */
static inline void fetch(const void *elements, size_t size, uint32_t seen)
{
	__builtin_prefetch((const void *)((uintptr_t)elements - size + seen * size));
}

/* Have the steps of a batch come from memory at the same time. */
static void fetch_steps(const struct counts *counts, struct batch *batch)
{
	const struct table table = table_of(counts);
	uint32_t *const numbers = batch->numbers;
	const bool detailed = counts->detailed;
	const size_t nr = batch->nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		const uint32_t hash = batch->items[i].hash;
		uint32_t at = hash & table.mask, slot;

		while ((slot = table.slots[at]) && !may_be(slot, hash, table.mask))
			at = (at + 1) & table.mask;
		numbers[i] = slot & table.mask;
		/* Of a new one something else comes, which does no harm. */
		fetch(table.steps, sizeof(*table.steps), numbers[i]);
		if (detailed)
			fetch(table.details, sizeof(*table.details), numbers[i]);
	}
}

/* There is room for all of them. */
static inline __attribute__((always_inline)) void
put_items(struct counts *counts, struct batch *batch, bool detailed)
{
	const struct table table = table_of(counts);
	uint32_t *const numbers = batch->numbers;
	const size_t nr = batch->nr;
	uint32_t number;
	size_t i;

	for (i = 0; i < nr; i++) {
		number = step_of(counts, &table, &batch->items[i], numbers[i], detailed,
				 detailed && batch->first && !i);
		table.steps[number].count++;
		numbers[i] = number;
	}
}

/* Two of them, and not inlined, since each needs all of the registers. */
__attribute__((noinline)) static void count_items(struct counts *counts, struct batch *batch)
{
	put_items(counts, batch, false);
}

__attribute__((noinline)) static void count_detailed(struct counts *counts, struct batch *batch)
{
	put_items(counts, batch, true);
}

static inline int32_t line_between(count_place to, count_place end)
{
	uint64_t line = end - to;

	return line + INT32_MAX < UINT32_MAX ? (int32_t)line : COUNT_NO_LINE;
}

/* The slow way, of what is not near. *item gets its places. False: out of memory. */
static bool take_far(struct counts *counts, struct walk *walk,
		     const struct pd_branch *br, count_place end,
		     struct item *item)
{
	if (!go_near(counts, walk, br->to))
		return false;
	item->to = br->to + walk->near.place - walk->near.start;
	if (!go_near(counts, walk, br->from))
		return false;
	item->from = br->from + walk->near.place - walk->near.start;
	item->line = line_between(item->to, end);
	return true;
}

/*
 * The next transfers of a stack. False: out of memory. Not inlined, for its
 * registers.
 */
__attribute__((noinline)) static bool
take_items(struct counts *counts, struct walk *walk, struct batch *batch)
{
	const struct pd_sample *sample = &walk->ev->sample;
	const uint64_t at = walk->at, left = sample->nr_branches - at;
	const unsigned int nr = left < BATCH ? left : BATCH;
	const uint8_t *p = sample->branches + at * sizeof(struct pd_branch);
	const uint32_t *const slots = counts->slots;
	const uint32_t mask = counts->slots_mask;
	struct item *const items = batch->items, *const last = items + nr;
	uint64_t flags = walk->flags;
	struct near near = walk->near;
	count_place end = walk->end;
	struct item *item;

	/* The slow way knows that the youngest has no line. */
	if (!at)
		near.size = 0;
	batch->first = !at;
	batch->last = nr == left;
	batch->before = at ? pd_branch_at(sample, at - 1).flags : 0;
	for (item = items; item < last; item++, p += sizeof(struct pd_branch)) {
		const struct pd_branch br = pd_branch_read(p);
		count_place to = br.to - near.start, from = br.from - near.start;
		int32_t line;

		if (__builtin_expect(to < near.size && from < near.size, 1)) {
			to += near.place;
			from += near.place;
			/* The line ended where the last address was, which is near. */
			line = end - to;
		} else {
			if (!take_far(counts, walk, &br, end, item))
				return false;
			near = walk->near;
			to = item->to;
			from = item->from;
			line = item->line;
		}
		end = from;
		flags |= br.flags;
		from |= (uint64_t)pd_branch_mispredicted(br.flags) << 63;
		*item = (struct item){ from, to, line,
				       hash_of(from, to, line), br.flags };
		__builtin_prefetch(&slots[item->hash & mask]);
	}
	walk->at = at + nr;
	walk->end = end;
	walk->flags = batch->flags = flags;
	batch->nr = nr;
	return true;
}

/* --- weighed --- */

/* Find the steps of lines, which are seen then, and what these take. */
static inline __attribute__((always_inline)) void
find_lines(struct counts *counts, const struct item *line, unsigned int nr, bool detailed,
	   uint32_t *numbers, uint32_t *lengths)
{
	const struct table table = table_of(counts);
	const bool both = detailed && counts->both;
	uint32_t number;
	size_t i;

	for (i = 0; i < nr; i++) {
		number = step_of(counts, &table, &line[i], numbers[i], detailed, false);
		lengths[i] = table.steps[number].length;
		if (both)
			table.details[number].seen++;
		numbers[i] = number;
	}
	/* weigh_lines() takes some at a time. */
	memset(&lengths[nr], 0, WEIGH_LANES * sizeof(*lengths));
}

/* Where it was recorded how long the lines took. Each ended with the transfer after it. */
static void take_cycles(const struct batch *batch, uint32_t *lengths)
{
	unsigned int i, cycles;

	for (i = batch->first; i < batch->nr; i++) {
		cycles = pd_branch_cycles(i ? batch->items[i - 1].flags : batch->before);
		if (cycles)
			lengths[i - batch->first] = cycles;
	}
}

static float mean_of(const uint32_t *lengths, unsigned int nr)
{
	typedef uint32_t lanes __attribute__((vector_size(4 * WEIGH_LANES)));
	lanes v, sum = { 0 };
	unsigned int i;

	for (i = 0; i < nr; i += WEIGH_LANES) {
		memcpy(&v, &lengths[i], sizeof(v));
		sum += v;
	}
	return (float)(sum[0] + sum[1] + sum[2] + sum[3]) / (float)nr;
}

static void note_seen(struct counts *counts, const uint32_t *numbers, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		counts->details[numbers[i]].seen++;
}

/* The youngest, which is only seen. */
__attribute__((noinline)) static void
see_youngest(struct counts *counts, struct batch *batch)
{
	const struct table table = table_of(counts);

	batch->numbers[0] = step_of(counts, &table, &batch->items[0], batch->numbers[0], true,
				    true);
	note_seen(counts, batch->numbers, 1);
}

/* Weigh and count some lines. False: out of memory. */
static inline __attribute__((always_inline)) bool
weigh_steps(struct counts *counts, const uint32_t *numbers, const uint32_t *lengths,
	    unsigned int nr)
{
	struct count_step *const steps = counts->steps;
	uint32_t weights[BATCH];
	uint64_t sum = 0;
	unsigned int i;

	weigh_lines(&counts->weigh, lengths, nr, weights);
	for (i = 0; i < nr; i++) {
		steps[numbers[i]].count += weights[i];
		sum += weights[i];
	}
	counts->weight += sum;
	return !counts->queue->kept || count_stacks_add(counts->stacks, numbers, weights, nr);
}

/* Is the current stack, which has lines, to be kept? */
static bool begin_kept(struct counts *counts)
{
	return counts->stacks && count_stacks_begin(counts->stacks);
}

/* False: out of memory. */
static bool end_kept(struct counts *counts, float own)
{
	return !counts->queue->kept || count_stacks_end(counts->stacks, own);
}

/* False: out of memory. */
static bool weigh_early_stack(struct counts *counts, const struct early_stack *stack,
			      size_t begin)
{
	const struct early *early = &counts->queue->early;
	uint32_t lengths[BATCH + WEIGH_LANES] = { 0 };
	size_t i, nr;

	counts->queue->kept = begin_kept(counts);
	counts->weigh.context = stack->context;
	weigh_begin(&counts->weigh, stack->mean, stack->late);
	for (i = begin; i < stack->end; i += nr) {
		nr = stack->end - i < BATCH ? stack->end - i : BATCH;
		memcpy(lengths, &early->lengths[i], nr * sizeof(*lengths));
		if (!weigh_steps(counts, &early->steps[i], lengths, nr))
			return false;
	}
	return end_kept(counts, counts->weigh.own);
}

/* Those that waited, by all that was learnt. False: out of memory. */
static bool weigh_early(struct counts *counts)
{
	struct early *early = &counts->queue->early;
	size_t i, begin = 0;

	for (i = 0; i < early->nr; begin = early->v[i++].end)
		if (!weigh_early_stack(counts, &early->v[i], begin))
			return false;
	early_clear(early);
	return true;
}

/* Begin to weigh, or to wait with it. False: out of memory. */
static bool begin_weighing(struct counts *counts, float mean, bool late)
{
	struct count_queue *queue = counts->queue;

	queue->waits = weigh_is_early(&counts->weigh);
	if (queue->waits)
		return early_begin(&queue->early, &counts->weigh, mean, late);
	queue->kept = begin_kept(counts);
	weigh_begin(&counts->weigh, mean, late);
	return true;
}

/*
 * Do stacks that wait have to be weighed before this one? They come first if it need not wait,
 * so that stacks stay in order; and what is learnt of deeper stacks tells nothing of them.
 */
static bool ends_waiting(const struct weigh *w, const struct stack *of)
{
	return !weigh_is_early(w) || of->nr > w->depth;
}

/* What the youngest went on to is not known. False: out of memory. */
static inline __attribute__((always_inline)) bool
start_items(struct counts *counts, struct batch *batch, bool detailed)
{
	const unsigned int skip = batch->first, nr_lines = batch->nr - skip;
	const struct item *items = batch->items;

	if (detailed && counts->both && skip)
		see_youngest(counts, batch);
	if (skip && ends_waiting(&counts->weigh, &batch->of) && !weigh_early(counts))
		return false;
	if (skip && !weigh_seek(&counts->weigh, items->to, &items->from,
				sizeof(*items) / sizeof(items->from), batch->nr, batch->of.nr))
		return false;
	find_lines(counts, items + skip, nr_lines, detailed, batch->numbers + skip,
		   batch->lengths);
	if (batch->of.by_time && pd_branch_cycles(batch->flags))
		take_cycles(batch, batch->lengths);
	return !skip || begin_weighing(counts, mean_of(batch->lengths, nr_lines), batch->of.late);
}

__attribute__((noinline)) static bool start_plain(struct counts *counts, struct batch *batch)
{
	return start_items(counts, batch, false);
}

__attribute__((noinline)) static bool start_detailed(struct counts *counts, struct batch *batch)
{
	return start_items(counts, batch, true);
}

/* What was started. False: out of memory. */
__attribute__((noinline)) static bool weigh_items(struct counts *counts, struct batch *batch)
{
	const unsigned int skip = batch->first, nr_lines = batch->nr - skip;
	const struct item *lines = batch->items + skip;
	const uint32_t *const numbers = batch->numbers + skip, *const lengths = batch->lengths;
	struct count_queue *queue = counts->queue;
	struct weigh *w = &counts->weigh;
	unsigned int i;

	if (!(queue->waits ? early_add(&queue->early, numbers, lengths, nr_lines) :
			     weigh_steps(counts, numbers, lengths, nr_lines)))
		return false;
	for (i = 0; w->learns && i < nr_lines; i++)
		weigh_note(w, lines[i].from, lines[i].to, lengths[i]);
	if (!batch->last)
		return true;
	weigh_end(w);
	return queue->waits || end_kept(counts, w->own);
}

/* --- batches --- */

/* Transfers that are not weighed. False: out of memory. */
static bool count_as_recorded(struct counts *counts, struct batch *batch)
{
	/* Behind the youngest is no line. */
	const unsigned int skip = batch->first;

	counts->weight += batch->nr;
	if (!counts->detailed) {
		count_items(counts, batch);
		return true;
	}
	count_detailed(counts, batch);
	if (counts->both)
		note_seen(counts, batch->numbers, batch->nr);
	if (skip)
		counts->queue->kept = batch->of.nr > 1 && begin_kept(counts);
	if (!counts->queue->kept)
		return true;
	return count_stacks_add(counts->stacks, batch->numbers + skip, NULL, batch->nr - skip) &&
	       (!batch->last || end_kept(counts, 0));
}

/* Of a single transfer no line is known. */
static bool is_weighed(const struct counts *counts, const struct batch *batch)
{
	return counts->weighed && batch->of.nr > 1;
}

/* All is done with a batch. */
static void leave(struct counts *counts, struct batch *batch)
{
	counts->entries += batch->nr;
	batch->nr = 0;
	if (!batch->last)
		return;
	counts->flags |= batch->flags;
	counts->samples++;
}

/* Find the steps of a batch, and count them if they need no weights. There is room for them. */
static bool start_batch(struct counts *counts, struct batch *batch)
{
	if (!batch->nr)
		return true;
	if (!is_weighed(counts, batch)) {
		if (!count_as_recorded(counts, batch))
			return false;
		leave(counts, batch);
		return true;
	}
	return counts->detailed ? start_detailed(counts, batch) : start_plain(counts, batch);
}

/* Count what waited longest. False: out of memory. */
static bool end_batch(struct counts *counts, struct batch *batch)
{
	if (!batch->nr)
		return true;
	if (!weigh_items(counts, batch))
		return false;
	leave(counts, batch);
	return true;
}

/* The batch that was filled so many before the next one. */
static struct batch *batch_before(struct count_queue *queue, unsigned int back)
{
	return &queue->batches[(queue->next + WAITING + 1 - back) % (WAITING + 1)];
}

/* The next batch is filled, or empty: the others go on. False: out of memory. */
static bool push(struct counts *counts)
{
	struct count_queue *queue = counts->queue;

	fetch_steps(counts, batch_before(queue, FILLED));
	/* The next weights need what was learnt from the stack before. */
	if (!end_batch(counts, batch_before(queue, STARTED)) ||
	    !start_batch(counts, batch_before(queue, FOUND)))
		return false;
	queue->next = (queue->next + 1) % (WAITING + 1);
	return true;
}

/* The next batch to fill, with room for the steps of the one that is counted then. */
static struct batch *begin_batch(struct counts *counts)
{
	if (!counts->queue)
		counts->queue = calloc(1, sizeof(*counts->queue));
	return counts->queue && make_room(counts) ? batch_before(counts->queue, 0) : NULL;
}

bool count_flush(struct counts *counts)
{
	unsigned int i;

	if (counts->queue)
		counts->queue->known = (struct known){ 0 };
	/* What was counted is empty again, and so is the next batch. */
	for (i = 0; counts->queue && i < WAITING; i++)
		if (!begin_batch(counts) || !push(counts))
			return false;
	return true;
}

bool count_has_early(const struct counts *counts)
{
	return counts->queue && counts->queue->early.nr;
}

bool count_settle(struct counts *counts)
{
	return count_flush(counts) && (!counts->queue || weigh_early(counts));
}

/*
 * Was the sample due in the kernel? Then it may have waited until interrupts were on, and
 * be taken in user code at last.
 */
static bool is_of_kernel(const struct pd_event *ev)
{
	return ev->sample.ip >> 63 || (ev->attr && ev->attr->exclude_user);
}

bool count_is_call_stack(const struct pd_event *ev)
{
	return ev->attr && pd_attr_has_call_stacks(ev->attr);
}

bool count_later(struct counts *counts, const struct pd_event *ev)
{
	/* At first the end of a line is in no number. */
	struct walk walk = { .ev = ev, .end = COUNT_MISPREDICTED };
	const struct stack of = { .nr = ev->sample.nr_branches,
				  .by_time = !ev->attr || !pd_counts_insns(ev->attr),
				  .late = is_of_kernel(ev) };
	const struct known *known = counts->queue ? &counts->queue->known : NULL;

	if (count_is_call_stack(ev)) {
		counts->call_stacks++;
		return true;
	}
	if (known && counts->maps && known->maps == counts->maps && known->pid == ev->pid) {
		walk.near = known->near;
		walk.before = known->before;
	}
	while (walk.at < of.nr) {
		struct batch *batch = begin_batch(counts);

		if (!batch)
			return false;
		batch->of = of;
		if (!take_items(counts, &walk, batch) || !push(counts))
			return false;
	}
	if (of.nr)
		counts->queue->known = (struct known){ counts->maps, ev->pid, walk.near,
						       walk.before };
	counts->samples += !of.nr;
	counts->empty += !of.nr;
	return true;
}

bool count_sample(struct counts *counts, const struct pd_event *ev)
{
	return count_later(counts, ev) && count_settle(counts);
}

bool count_add(struct counts *counts, const struct count_step *step,
	       const struct count_detail *detail)
{
	const struct item item = { .from = step->from, .to = step->to, .line = step->line,
				   .hash = hash_of(step->from, step->to, step->line) };
	struct count_step *s;
	uint32_t number;

	if (!make_room(counts))
		return false;
	number = search_step(counts, &item, counts->detailed ? detail->type : 0,
			     counts->detailed && detail->youngest);
	s = &counts->steps[number];
	s->count += step->count;
	if (s->length < step->length)
		s->length = step->length;
	if (counts->detailed) {
		counts->details[number].cycles += detail->cycles;
		counts->details[number].timed += detail->timed;
	}
	return true;
}

void count_restart(struct counts *counts)
{
	weigh_free(&counts->weigh);
}

void count_forget(struct counts *counts)
{
	if (counts->slots)
		memset(counts->slots, 0, size_of_slots(counts));
	counts->nr_steps = 0;
	counts->samples = counts->empty = counts->entries = counts->weight = 0;
	counts->call_stacks = 0;
	counts->flags = 0;
}

uint64_t count_transfers(uint64_t weight, uint64_t all, uint64_t entries)
{
	double nr;

	if (all == entries || !weight)
		return weight;
	nr = (double)weight / all * entries;
	return nr < 1 ? 1 : nr + 0.5;
}

void count_end(struct counts *counts)
{
	free_slots(counts);
	if (counts->queue)
		early_free(&counts->queue->early);
	free(counts->queue);
	weigh_free(&counts->weigh);
	counts->queue = NULL;
}

void count_free(struct counts *counts)
{
	count_end(counts);
	large_free(counts->steps, counts->cap_steps * sizeof(*counts->steps));
	large_free(counts->details, counts->cap_details * sizeof(*counts->details));
	*counts = (struct counts){ 0 };
}
