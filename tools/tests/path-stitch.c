// SPDX-License-Identifier: GPL-2.0-only
/* Stitching: how much of a branch stack is new, or that it cannot be told. */
#include "path/stitch.h"
#include "perfdata-build.h"
#include "test.h"

#include <linux/perf_event.h>

enum { DEPTH = 16, MAX = 4096 };

/* All that a thread ever recorded, oldest first, and what a sample shows of it. */
static struct pd_branch history[MAX];
static unsigned int nr_history;
static struct pd_branch stack[DEPTH];

static struct pd_attr attr;

static void begin(void)
{
	nr_history = 0;
	attr = (struct pd_attr){
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_type = PERF_SAMPLE_PERIOD,
	};
}

static void branch(uint64_t from)
{
	history[nr_history++] = (struct pd_branch){ from, from + 0x100, 0 };
}

/* A sample of thread tid; index: whether it has the hart's. */
static struct pd_event sample(uint32_t tid, uint64_t period, bool index)
{
	struct pd_event ev = { .type = PERF_RECORD_SAMPLE, .pid = 1,
			       .tid = tid, .cpu = 2, .attr = &attr };
	unsigned int i, nr = nr_history < DEPTH ? nr_history : DEPTH;

	for (i = 0; i < nr; i++)
		stack[i] = history[nr_history - 1 - i];
	ev.sample.has_branches = true;
	ev.sample.period = period;
	ev.sample.nr_branches = nr;
	ev.sample.branches = (const uint8_t *)stack;
	ev.sample.hw_idx = index ? (nr_history + DEPTH - 1) % DEPTH :
				   UINT64_MAX;
	return ev;
}

static int stitch_one(struct path_stitch *stitch, uint32_t tid, uint64_t period,
		      bool index, uint64_t lost)
{
	struct pd_event ev = sample(tid, period, index);

	return path_stitch_sample(stitch, &ev, lost);
}

TEST(new_branches_are_counted)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++)
		branch(i);
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), PATH_STITCH_NONE);
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), 0);
	for (; i < 8; i++)
		branch(i);
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), 5);
	for (; i < 8 + DEPTH - 1; i++)
		branch(i);
	CHECK_EQ(stitch_one(s, 1, DEPTH - 1, false, 0), DEPTH - 1);
	for (; i < 8 + 2 * DEPTH; i++)
		branch(i);
	CHECK_EQ(stitch_one(s, 1, DEPTH - 1, false, 0), PATH_STITCH_NONE);
	path_stitch_free(s);
}

TEST(a_long_period_proves_nothing)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	struct path_stitch *always =
		path_stitch_new(PATH_STITCH_ALWAYS, DEPTH, NULL);

	begin();
	branch(1);
	stitch_one(s, 1, DEPTH, false, 0);
	stitch_one(always, 1, DEPTH, false, 0);
	branch(2);
	CHECK_EQ(stitch_one(s, 1, DEPTH, false, 0), PATH_STITCH_NONE);
	CHECK_EQ(stitch_one(always, 1, DEPTH, false, 0), 1);
	/* Nor does an event that does not count with the branches. */
	attr.config = PERF_COUNT_HW_CACHE_MISSES;
	CHECK_EQ(stitch_one(s, 1, 3, false, 0), PATH_STITCH_NONE);
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	CHECK_EQ(stitch_one(s, 1, 3, false, 0), 0);
	path_stitch_free(s);
	path_stitch_free(always);
}

/* Since the sample before, the event counted 300, and 300 more for each that was lost. */
TEST(what_is_older_than_the_sample_before_is_counted)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	struct pd_event ev;

	begin();
	branch(0);
	ev = sample(1, 300, false);
	CHECK_EQ(path_stitch_sample(s, &ev, 0), PATH_STITCH_NONE);
	CHECK_EQ(path_stitch_older(s, &ev, 2050), 0);
	CHECK_EQ(path_stitch_sample(s, &ev, 0), PATH_STITCH_NONE);
	CHECK_EQ(path_stitch_older(s, &ev, 2050), 1750);
	CHECK_EQ(path_stitch_older(s, &ev, 300), 0);
	CHECK_EQ(path_stitch_sample(s, &ev, 2), PATH_STITCH_NONE);
	CHECK_EQ(path_stitch_older(s, &ev, 1000), 100);
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	CHECK_EQ(path_stitch_older(s, &ev, 1000), 0);
	path_stitch_free(s);
}

/* The kernel's branches may be any number, and its instructions are not counted. */
TEST(what_does_not_count_all_that_is_recorded_proves_nothing)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);

	begin();
	branch(1);
	attr.exclude_kernel = true;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	stitch_one(s, 1, 3, false, 0);
	CHECK_EQ(stitch_one(s, 1, 3, false, 0), 0);
	attr.branch_sample_type |= PERF_SAMPLE_BRANCH_KERNEL;
	CHECK_EQ(stitch_one(s, 1, 3, false, 0), PATH_STITCH_NONE);
	attr.exclude_kernel = false;
	CHECK_EQ(stitch_one(s, 1, 3, false, 0), 0);
	attr.exclude_user = true;
	CHECK_EQ(stitch_one(s, 1, 3, false, 0), PATH_STITCH_NONE);
	path_stitch_free(s);
}

TEST(a_loss_in_between_proves_nothing)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	struct pd_event ev;

	begin();
	branch(1);
	ev = sample(1, 3, false);
	stitch_one(s, 1, 3, false, 0);
	CHECK_EQ(stitch_one(s, 1, 3, false, 1), PATH_STITCH_NONE);
	CHECK_EQ(path_stitch_since(s, &ev), 3 + 1 * 3);
	CHECK_EQ(stitch_one(s, 1, 3, false, 1), 0);
	CHECK_EQ(path_stitch_since(s, &ev), 3);
	path_stitch_free(s);
}

TEST(never_is_never)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_NEVER, DEPTH, NULL);

	begin();
	branch(1);
	CHECK_EQ(stitch_one(s, 1, 3, true, 0), PATH_STITCH_NONE);
	CHECK_EQ(stitch_one(s, 1, 3, true, 0), PATH_STITCH_NONE);
	path_stitch_free(s);
}

TEST(a_loop_fits_in_many_ways_and_the_index_tells)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	unsigned int i;

	begin();
	for (i = 0; i < 40; i++)
		branch(7);
	stitch_one(s, 1, 9, false, 0);
	branch(7);
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), PATH_STITCH_AMBIGUOUS);
	stitch_one(s, 1, 9, true, 0);
	for (i = 0; i < 5; i++)
		branch(7);
	CHECK_EQ(stitch_one(s, 1, 9, true, 0), 5);
	CHECK_EQ(stitch_one(s, 1, 9, true, 0), 0);
	path_stitch_free(s);
}

TEST(an_index_of_another_hart_says_nothing)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	struct pd_event ev;

	begin();
	branch(1);
	branch(2);
	stitch_one(s, 1, 3, true, 0);
	branch(3);
	ev = sample(1, 3, true);
	ev.cpu = 0;
	ev.sample.hw_idx = 9;
	CHECK_EQ(path_stitch_sample(s, &ev, 0), 1);
	path_stitch_free(s);
}

/* Both of them wait in the same loop. */
TEST(idle_threads_of_two_harts_are_two)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_ALWAYS, DEPTH, NULL);
	struct pd_event ev;

	begin();
	branch(1);
	CHECK_EQ(stitch_one(s, 0, 9, false, 0), PATH_STITCH_NONE);
	CHECK_EQ(stitch_one(s, 0, 9, false, 0), 0);
	ev = sample(0, 9, false);
	ev.cpu = 0;
	CHECK_EQ(path_stitch_sample(s, &ev, 0), PATH_STITCH_NONE);
	path_stitch_free(s);
}

TEST(flags_are_part_of_a_record)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);

	begin();
	branch(1);
	stitch_one(s, 1, 3, false, 0);
	history[0].flags = 7 << 4;	/* other cycles */
	CHECK_EQ(stitch_one(s, 1, 3, false, 0), PATH_STITCH_NONE);
	path_stitch_free(s);
}

/* A thread begins or ends. */
static void task(struct path_stitch *s, uint32_t type, uint32_t tid)
{
	const struct pd_event ev = { .type = type, .pid = 1, .tid = tid };

	path_stitch_task(s, &ev);
}

TEST(a_thread_is_kept_for_a_while_after_its_end)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	uint32_t tid;

	begin();
	branch(1);
	for (tid = 1; tid <= 3; tid++)
		stitch_one(s, tid, 9, false, 0);
	task(s, PERF_RECORD_EXIT, 1);
	task(s, PERF_RECORD_EXIT, 2);
	/* The kernel was interrupted in the last moments of 1. */
	branch(2);
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), 1);
	for (tid = 10; tid < 10 + PATH_STITCH_ENDED; tid++) {
		stitch_one(s, tid, 9, false, 0);
		CHECK_EQ(stitch_one(s, tid, 9, false, 0), 0);
		task(s, PERF_RECORD_EXIT, tid);
	}
	/* 3 runs all the time, 2 was heard of no more, and 1 was. */
	CHECK_EQ(stitch_one(s, 3, 9, false, 0), 1);
	CHECK_EQ(stitch_one(s, 2, 9, false, 0), PATH_STITCH_NONE);
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), 0);
	path_stitch_free(s);
}

TEST(a_new_thread_with_the_number_of_one_before_begins_anew)
{
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	uint32_t tid;

	begin();
	branch(1);
	stitch_one(s, 1, 9, false, 0);
	task(s, PERF_RECORD_EXIT, 1);
	task(s, PERF_RECORD_FORK, 1);
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), PATH_STITCH_NONE);
	/* It lives as long as any other. */
	for (tid = 10; tid < 10 + 3 * PATH_STITCH_ENDED; tid++) {
		stitch_one(s, tid, 9, false, 0);
		task(s, PERF_RECORD_EXIT, tid);
	}
	CHECK_EQ(stitch_one(s, 1, 9, false, 0), 0);
	path_stitch_free(s);
}

enum { MANY = 1000 };

/* What a full stack of each of many threads takes, and how much of it is free at their end. */
static size_t kept(uint64_t period, size_t *freed)
{
	struct path_stitch *s;
	struct pdb b = { 0 };
	size_t size, before;
	struct pd *pd;
	uint32_t tid;

	pdb_event(&b, PDB_BRANCH_SAMPLE, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	b.events[0].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	b.events[0].attr.sample_period = period;
	pdb_comm(&b, 0, 1, "x", 1);
	pdb_finish(&b);
	CHECK_EQ(pd_open_memory(&pd, b.file.p, b.file.n), 0);
	s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, pd);
	begin();
	for (tid = 0; tid < DEPTH; tid++)
		branch(tid);
	before = test_allocated();
	for (tid = 0; tid < MANY; tid++)
		stitch_one(s, tid, period, false, 0);
	size = test_allocated() - before;
	for (tid = 0; tid < MANY; tid++)
		task(s, PERF_RECORD_EXIT, tid);
	*freed = before + size - test_allocated();
	path_stitch_free(s);
	pd_close(pd);
	pdb_free(&b);
	return size;
}

TEST(no_more_is_kept_than_may_overlap)
{
	size_t freed, of_none, none = kept(100000, &of_none), stacks = kept(DEPTH - 1, &freed);

	/* The rest is the same. An allocator may need some bytes of its own. */
	CHECK(stacks - none >= MANY * sizeof(stack));
	CHECK(stacks - none <= MANY * (sizeof(stack) + 2 * sizeof(size_t)));
	CHECK(freed >= (MANY - PATH_STITCH_ENDED) * sizeof(stack));
	CHECK_EQ(of_none, 0);
}

/* Many threads that run the same few loops: never a wrong number. */
TEST(random_threads_are_told_true)
{
	enum { THREADS = 150, STEPS = 400 };
	static struct pd_branch kept[THREADS][MAX];
	static unsigned int nrs[THREADS];
	struct path_stitch *s = path_stitch_new(PATH_STITCH_AUTO, DEPTH, NULL);
	unsigned int i, k, told = 0;

	begin();
	memset(nrs, 0, sizeof(nrs));
	for (i = 0; i < THREADS * STEPS / 4; i++) {
		unsigned int t = test_random() % THREADS;
		unsigned int new = test_random() % DEPTH;
		unsigned int before = nrs[t];
		int ret;

		if (before + new >= MAX)
			continue;
		memcpy(history, kept[t], before * sizeof(*history));
		nr_history = before;
		for (k = 0; k < new; k++)
			branch(test_random() % 3 ? (nr_history % 3) :
						   test_random() % 4);
		memcpy(kept[t], history, nr_history * sizeof(*history));
		nrs[t] = nr_history;
		if (!nr_history)
			continue;
		ret = stitch_one(s, t, DEPTH - 1, true, 0);
		if (!before)
			continue;
		CHECK(ret != PATH_STITCH_AMBIGUOUS);
		CHECK_EQ(ret, new);
		told++;
	}
	CHECK(told > 1000);
	path_stitch_free(s);
}
