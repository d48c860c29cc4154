// SPDX-License-Identifier: GPL-2.0-only
/* Transfers and weights at once, and counts that are added: held against each alone. */
#include "count/count.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100, SAMPLES = 3000, ADDRESSES = 10 };

static bool find(void *arg, uint32_t pid, uint64_t addr, struct count_map *map)
{
	(void)arg;
	(void)pid;
	*map = (struct count_map){ 0, UINT64_C(1) << 32, 0, 2 };
	return addr < map->size;
}

/* A stack of the random stream, which several counts take. */
static unsigned int random_stack(uint64_t (*stack)[3])
{
	unsigned int nr = test_random() % (DEPTH + 1), i;

	for (i = 0; i < nr; i++) {
		stack[i][0] = 0x1000 + 16 * (test_random() % ADDRESSES);
		stack[i][1] = 0x1000 + 16 * (test_random() % ADDRESSES);
		stack[i][2] = (test_random() % 3) << 20 | test_random() % 2 |
			      (test_random() % 9) << 4;
	}
	return nr;
}

static struct pd_event event_of(const uint64_t (*stack)[3], unsigned int nr)
{
	return (struct pd_event){
		.pid = 1,
		.sample = { .nr_branches = nr, .has_branches = true,
			    .branches = (const uint8_t *)stack },
	};
}

static void add(struct counts *counts, const uint64_t (*stack)[3], unsigned int nr)
{
	const struct pd_event ev = event_of(stack, nr);

	CHECK(count_sample(counts, &ev));
}

static struct counts counts_of(bool weighed, bool detailed, bool both)
{
	return (struct counts){ .find = find, .weighed = weighed, .detailed = detailed,
				.both = both };
}

/* All of the same transfer and line. */
static uint64_t sum_like(const struct counts *counts, const struct count_step *like, bool seen)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < counts->nr_steps; i++) {
		const struct count_step *s = &counts->steps[i];

		if (s->from == like->from && s->to == like->to && s->line == like->line)
			sum += seen ? counts->details[i].seen : s->count;
	}
	return sum;
}

/* Each step of a has the sums of those of b that are like it. */
static void check_same(const struct counts *a, const struct counts *b, bool seen)
{
	size_t i;

	for (i = 0; i < a->nr_steps; i++)
		CHECK_EQ(sum_like(b, &a->steps[i], seen), sum_like(a, &a->steps[i], false));
}

TEST(both_counts_are_those_that_each_alone_has)
{
	struct counts raw = counts_of(false, false, false), weighed = counts_of(true, false, false),
		      both = counts_of(true, true, true);
	uint64_t stack[DEPTH][3], seen = 0;
	unsigned int i, nr;

	for (i = 0; i < SAMPLES; i++) {
		nr = random_stack(stack);
		add(&raw, stack, nr);
		add(&weighed, stack, nr);
		add(&both, stack, nr);
	}
	check_same(&raw, &both, true);
	check_same(&weighed, &both, false);
	for (i = 0; i < both.nr_steps; i++)
		seen += both.details[i].seen;
	CHECK_EQ(seen, both.entries);
	CHECK_EQ(weighed.weight, both.weight);
	count_free(&raw);
	count_free(&weighed);
	count_free(&both);
}

static void add_later(struct counts *counts, const uint64_t (*stack)[3], unsigned int nr)
{
	const struct pd_event ev = event_of(stack, nr);

	CHECK(count_later(counts, &ev));
}

static void check_equal(const struct counts *a, const struct counts *b)
{
	CHECK_EQ(a->nr_steps, b->nr_steps);
	CHECK(!memcmp(a->steps, b->steps, a->nr_steps * sizeof(*a->steps)));
	CHECK(!a->detailed ||
	      !memcmp(a->details, b->details, a->nr_steps * sizeof(*a->details)));
	CHECK(a->samples == b->samples && a->empty == b->empty && a->entries == b->entries &&
	      a->weight == b->weight && a->flags == b->flags);
	CHECK(!a->stacks || (a->stacks->nr == b->stacks->nr &&
			     a->stacks->nr_lines == b->stacks->nr_lines &&
			     !memcmp(a->stacks->lines, b->stacks->lines,
				     a->stacks->nr_lines * sizeof(*a->stacks->lines))));
}

/* Both the same, until stacks need not wait for what is learnt from others. */
static void learn(struct counts *a, struct counts *b)
{
	uint64_t stack[DEPTH][3];

	while (a->weighed && weigh_is_early(&a->weigh)) {
		while (random_stack(stack) < DEPTH)
			;
		add(a, stack, DEPTH);
		add(b, stack, DEPTH);
	}
}

TEST(samples_that_wait_are_counted_as_those_that_do_not)
{
	uint64_t stack[DEPTH][3];
	unsigned int how, i, nr;

	for (how = 0; how < 8; how++) {
		const bool weighed = how & 1, detailed = how & 2, both = detailed && how & 4;
		struct counts now = counts_of(weighed, detailed, both),
			      later = counts_of(weighed, detailed, both);
		struct count_stacks stacks[2] = { 0 };

		if (detailed) {
			now.stacks = &stacks[0];
			later.stacks = &stacks[1];
		}
		learn(&now, &later);
		for (i = 0; i < SAMPLES; i++) {
			nr = random_stack(stack);
			add(&now, stack, nr);
			add_later(&later, stack, nr);
			/* The memory of a sample is used again. */
			memset(stack, 0xff, sizeof(stack));
			if (!(test_random() % 100)) {
				CHECK(count_settle(&later));
				check_equal(&now, &later);
			}
		}
		CHECK(count_settle(&later) && count_settle(&later));
		check_equal(&now, &later);
		count_stacks_free(&stacks[0]);
		count_stacks_free(&stacks[1]);
		count_free(&now);
		count_free(&later);
	}
}

TEST(the_newest_transfer_is_seen_and_has_no_weight)
{
	static const uint64_t stack[2][3] = { { 0x1010, 0x1020, 7 << 4 }, { 0x1030, 0x1008, 0 } };
	struct counts both = counts_of(true, true, true);

	add(&both, stack, 2);
	CHECK_EQ(both.nr_steps, 2);
	CHECK(both.details[0].youngest && both.details[0].seen == 1 && !both.steps[0].count);
	CHECK(both.details[0].cycles == 7 && both.details[0].timed == 1);
	CHECK(!both.details[1].youngest && both.details[1].seen == 1 && both.steps[1].count);
	/* Alone in its stack, it counts as it is. */
	add(&both, stack, 1);
	CHECK(both.details[0].seen == 2 && both.steps[0].count == 1);
	count_free(&both);
}

TEST(counts_that_are_added_are_those_of_one_count)
{
	struct counts parts[2] = { counts_of(false, true, false), counts_of(false, true, false) },
		      one = counts_of(false, true, false), sum = counts_of(false, true, false);
	uint64_t stack[DEPTH][3];
	unsigned int i, k, nr;

	for (i = 0; i < 2 * SAMPLES; i++) {
		nr = random_stack(stack);
		add(&one, stack, nr);
		add(&parts[i % 2], stack, nr);
	}
	for (k = 0; k < 2; k++)
		for (i = 0; i < parts[k].nr_steps; i++)
			CHECK(count_add(&sum, &parts[k].steps[i], &parts[k].details[i]));
	CHECK_EQ(sum.nr_steps, one.nr_steps);
	check_same(&one, &sum, false);
	for (i = nr = 0; i < one.nr_steps; i++)
		nr += one.details[i].cycles - sum.details[i].cycles +
		      one.details[i].timed - sum.details[i].timed;
	CHECK_EQ(nr, 0);
	for (k = 0; k < 2; k++)
		count_free(&parts[k]);
	count_free(&one);
	count_free(&sum);
}

TEST(the_larger_length_stays)
{
	struct counts counts = counts_of(false, false, false);
	struct count_step step = { .count = 1, .line = 4, .length = 3 };

	CHECK(count_add(&counts, &step, NULL));
	step.length = 2;
	CHECK(count_add(&counts, &step, NULL));
	CHECK(counts.nr_steps == 1 && counts.steps[0].length == 3 &&
	      counts.steps[0].count == 2);
	count_free(&counts);
}

TEST(what_was_learnt_before_a_restart_changes_nothing_after_it)
{
	struct counts together = counts_of(true, false, false),
		      first = counts_of(true, false, false), second = counts_of(true, false, false);
	uint64_t stack[DEPTH][3];
	unsigned int i, nr;
	size_t k;

	for (i = 0; i < SAMPLES; i++) {
		nr = random_stack(stack);
		if (i == SAMPLES / 3)
			count_restart(&together);
		add(&together, stack, nr);
		add(i < SAMPLES / 3 ? &first : &second, stack, nr);
	}
	for (k = 0; k < together.nr_steps; k++)
		CHECK_EQ(together.steps[k].count,
			 sum_like(&first, &together.steps[k], false) +
				 sum_like(&second, &together.steps[k], false));
	CHECK_EQ(together.weight, first.weight + second.weight);
	count_free(&together);
	count_free(&first);
	count_free(&second);
}
