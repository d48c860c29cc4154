// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that take turns on CPUs with each other, with a task that nobody records and
 * with the one that reads the samples, have full stacks, however it came that they are
 * recorded: as children and threads of a recorded task, or by an event of the CPU.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include "caps.h"
#include "harness.h"
#include "place.h"
#include "sampler.h"

#define ANY	PERF_SAMPLE_BRANCH_ANY
#define USER	PERF_SAMPLE_BRANCH_USER
#define KERNEL	PERF_SAMPLE_BRANCH_KERNEL

#define TASKS	3
#define MAX_CPUS 64

/* What a task of these does between two samples is more than what a buffer holds. */
#define PERIOD	200000

struct stack {
	uint64_t time, nr;
	pid_t tid;
};

struct seen {
	pid_t *tids;		/* of the tasks, as they say themselves */
	uint64_t depth;
	struct stack *stacks;	/* of whichever tasks, as they came */
	size_t nr_stacks;
	uint64_t early, samples, full, records;
};

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->stacks = reallocarray(seen->stacks, seen->nr_stacks + 1,
				    sizeof(*seen->stacks));
	if (!seen->stacks)
		abort();
	seen->stacks[seen->nr_stacks++] = (struct stack){
		.time = sample->time,
		.nr = sample->nr,
		.tid = sample->tid,
	};
}

static int compare_times(const void *a, const void *b)
{
	const struct stack *left = a, *right = b;

	return (left->time > right->time) - (left->time < right->time);
}

/*
 * Until a task's stack is full for the first time it has what the task did until then.
 * That is the first one in time: the rings are read one after another, and a task that
 * moves meanwhile is in the last of them before it is in the first.
 */
static void judge(struct seen *seen)
{
	bool began[TASKS] = {};
	int task;

	qsort(seen->stacks, seen->nr_stacks, sizeof(*seen->stacks), compare_times);
	for (const struct stack *stack = seen->stacks; stack < seen->stacks + seen->nr_stacks;
	     stack++) {
		for (task = 0; task < TASKS && seen->tids[task] != stack->tid; task++)
			;
		if (task == TASKS)
			continue;
		seen->early += !began[task];
		began[task] |= stack->nr == seen->depth;
		if (!began[task])
			continue;
		seen->samples++;
		seen->full += stack->nr == seen->depth;
		seen->records += stack->nr;
	}
	seen->nr_stacks = 0;
}

/* How many records a full stack has. */
static uint64_t full_stack(void)
{
	uint64_t most = PERF_MAX_STACK_DEPTH, depth = caps_branches();

	read_number("/proc/sys/kernel/perf_event_max_stack", &most);
	return depth < most ? depth : most;
}

static int nr_turns;
static void (*loop)(uint64_t rounds);
static void (*stretch)(void);

FIXTURE(turns)
{
	struct perf_event_attr attr;
	struct sampler samplers[MAX_CPUS];
	struct seen seen;
	pid_t neighbours[MAX_CPUS];
	uint64_t *turns;
	int cpus;
};

FIXTURE_VARIANT(turns)
{
	bool threads;	/* of a child, else children */
	bool of_cpu;	/* the event */
	bool moves;	/* from one CPU to another */
	bool counts;	/* each task has counts of its own, as with perf record -s */
	uint64_t what;	/* is recorded */
	unsigned int percent;	/* of the records that a full stack has */
};

#define VARIANT(_name, ...)						\
	FIXTURE_VARIANT_ADD(turns, _name) { __VA_ARGS__ }

VARIANT(children, .what = USER, .percent = 100);
VARIANT(children_that_move, .moves = true, .what = USER, .percent = 100);
VARIANT(threads, .threads = true, .what = USER, .percent = 100);
VARIANT(threads_that_move, .threads = true, .moves = true, .what = USER,
	.percent = 100);
VARIANT(all_on_a_cpu, .of_cpu = true, .what = USER, .percent = 95);
VARIANT(all_on_cpus, .of_cpu = true, .moves = true, .what = USER, .percent = 95);
VARIANT(children_with_counts, .counts = true, .what = USER, .percent = 100);
VARIANT(threads_with_counts_that_move, .threads = true, .counts = true, .moves = true,
	.what = USER, .percent = 100);
/* In the kernel a task makes many branches between two switches. */
VARIANT(children_in_the_kernel, .what = KERNEL, .percent = 80);
VARIANT(children_everywhere, .what = USER | KERNEL, .percent = 80);
VARIANT(threads_in_the_kernel_that_move, .threads = true, .moves = true, .what = KERNEL,
	.percent = 80);

FIXTURE_SETUP(turns)
{
	self->cpus = variant->moves ? nr_cpus() : 1;
	ASSERT_GE(MAX_CPUS, self->cpus);
	self->attr = sampler_attr(variant->what | ANY);
	self->attr.freq = 0;
	self->attr.sample_period = PERIOD;
	self->attr.inherit = !variant->of_cpu;
	self->attr.inherit_stat = variant->counts;
	self->attr.exclude_kernel = !(variant->what & KERNEL);
	self->seen.depth = full_stack();
	ASSERT_LT(0, self->seen.depth);
	self->attr.sample_max_stack = self->seen.depth;

	/* Each CPU's counter of each task keeps to itself what is less than a period. */
	nr_turns = 40 * ask("SSCTR_ROUNDS", 5) * (1 + self->cpus / 4);
	loop = place_settle(PLACE(0));
	ASSERT_NE(NULL, loop);
	stretch = place_straight(PLACE_STRETCH * 8);
	ASSERT_NE(NULL, stretch);
	stretch();
	self->turns = mmap(NULL, sizeof(*self->turns) * (MAX_CPUS + TASKS),
			   PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->turns);
	self->seen.tids = (pid_t *)(self->turns + MAX_CPUS);
	ASSERT_EQ(0, sampler_pin(0, 0));
	for (int i = 0; i < self->cpus; i++) {
		self->neighbours[i] = fork();
		if (!self->neighbours[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (sampler_pin(0, i))
				_exit(1);
			place_move(PLACE(1), &self->turns[i]);
		}
	}
}

FIXTURE_TEARDOWN(turns)
{
	free(self->seen.stacks);
	for (int i = 0; i < self->cpus; i++) {
		kill(self->neighbours[i], SIGKILL);
		waitpid(self->neighbours[i], NULL, 0);
	}
}

struct task {
	int cpus;
	pid_t *tid;
};

/* Some forty branches a turn: a full stack holds those of several turns. */
static void *take_turns(void *data)
{
	int cpus = ((struct task *)data)->cpus;

	*((struct task *)data)->tid = gettid();

	/* More than a buffer holds, so that all stacks but the first can be full. */
	loop(1000);
	for (int i = 0; i < nr_turns; i++) {
		if (cpus > 1 && sampler_pin(0, i % cpus))
			_exit(1);
		loop(40);
		stretch();
		if (i % 3)
			sched_yield();
		else
			usleep(1);
	}
	return NULL;
}

static void run_tasks(bool threads, int cpus, pid_t *tids)
{
	struct task tasks[TASKS];
	pthread_t ids[TASKS];
	int status;

	for (int i = 0; i < TASKS; i++) {
		tasks[i] = (struct task){ cpus, &tids[i] };
		if (!threads) {
			if (fork())
				continue;
			take_turns(&tasks[i]);
			_exit(0);
		}
		if (pthread_create(&ids[i], NULL, take_turns, &tasks[i]))
			_exit(1);
	}
	for (int i = 0; threads && i < TASKS; i++)
		pthread_join(ids[i], NULL);
	while (!threads && wait(&status) > 0)
		if (status)
			_exit(1);
}

/* All turns, with events and tasks of their own. */
static void record_turns(struct __test_metadata *_metadata, FIXTURE_DATA(turns) *self,
			 const FIXTURE_VARIANT(turns) *variant)
{
	struct seen *seen = &self->seen;
	int start[2], status;
	pid_t task, ended;

	ASSERT_EQ(0, pipe(start));
	task = fork();
	if (!task) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hear(start[0]);
		run_tasks(variant->threads, self->cpus, seen->tids);
		_exit(0);
	}
	/* For who does not run, all is enabled at once, as perf does with exec. */
	ASSERT_TRUE(wait_asleep(task));
	for (int i = 0; i < self->cpus; i++)
		ASSERT_EQ(0, sampler_open(&self->samplers[i], &self->attr,
					  variant->of_cpu ? -1 : task, i));
	for (int i = 0; i < self->cpus; i++)
		sampler_enable(&self->samplers[i]);
	say(start[1]);
	do {
		usleep(2000);
		for (int i = 0; i < self->cpus; i++)
			sampler_drain(&self->samplers[i], see, seen);
		ended = waitpid(task, &status, WNOHANG);
		ASSERT_LE(0, ended);
	} while (!ended);
	ASSERT_EQ(0, status);
	for (int i = 0; i < self->cpus; i++)
		sampler_close(&self->samplers[i]);
	close(start[0]);
	close(start[1]);
	judge(seen);
}

TEST_F(turns, stacks_are_full)
{
	struct seen *seen = &self->seen;
	uint64_t percent = variant->percent;

	/* They are so much work, but samples come by time: few on a machine that stands still. */
	for (int i = 0; seen->early + seen->samples < TASKS * 20; i++) {
		ASSERT_GT(100, i);
		record_turns(_metadata, self, variant);
	}
	TH_LOG("%llu samples, %llu early, %llu full, %llu of %llu records",
	       (unsigned long long)seen->samples, (unsigned long long)seen->early,
	       (unsigned long long)seen->full,
	       (unsigned long long)seen->records,
	       (unsigned long long)(seen->samples * seen->depth));
	EXPECT_GE(seen->samples, seen->early);
	EXPECT_LE(seen->samples * seen->depth * percent, seen->records * 100);
	for (int i = 0; i < self->cpus; i++)
		EXPECT_LT(10, self->turns[i]);
}

/* Each time it is asked for, it enables an event of its own, which is no business of others. */
static void enable_often(const struct perf_event_attr *attr, const int *ask, const int *tell)
{
	struct perf_event_attr own = *attr;
	struct sampler sampler;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	own.sample_period = 1ull << 40;
	if (sampler_open(&sampler, &own, 0, -1))
		_exit(1);
	while (read(ask[0], &byte, 1) == 1) {
		sampler_enable(&sampler);
		sampler_disable(&sampler);
		if (write(tell[1], &byte, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

struct full {
	uint64_t depth, samples, nr;
};

static void see_full(const struct sample *sample, void *data)
{
	struct full *full = data;

	if (!is_straight(sample->ip))
		return;
	full->samples++;
	full->nr += sample->nr;
}

/*
 * Between two switches there is less than a tenth of what a stack holds. What an earlier event
 * recorded, this one is not to see, and it is forgotten in the end.
 */
static void be_full_beside_enabling(struct __test_metadata *_metadata, bool behind_earlier)
{
	struct perf_event_attr attr = sampler_attr(USER | ANY);
	struct full full = { .depth = full_stack() };
	struct sampler sampler, earlier;
	int ask[2], tell[2];
	char byte = 0;
	pid_t other;

	ASSERT_LT(0, full.depth);
	loop = place_settle(PLACE(0));
	ASSERT_NE(NULL, loop);
	stretch = place_straight(PLACE_NOPS);
	ASSERT_NE(NULL, stretch);
	ASSERT_EQ(0, sampler_pin(0, 0));
	ASSERT_EQ(0, pipe(ask));
	ASSERT_EQ(0, pipe(tell));
	attr.freq = 0;
	attr.sample_period = PERIOD;
	other = fork();
	ASSERT_LE(0, other);
	if (!other)
		enable_often(&attr, ask, tell);
	if (behind_earlier) {
		struct perf_event_attr once = attr;

		once.config = PERF_COUNT_HW_INSTRUCTIONS;
		once.sample_period = 1ull << 40;
		ASSERT_EQ(0, sampler_open(&earlier, &once, 0, -1));
		sampler_enable(&earlier);
		loop(1000);
		sampler_sleep();
	}
	ASSERT_EQ(0, sampler_open(&sampler, &attr, 0, -1));
	sampler_enable(&sampler);
	for (int j = 0; j < 100; j++) {
		loop(10);
		ASSERT_EQ(1, write(ask[1], &byte, 1));
		ASSERT_EQ(1, read(tell[0], &byte, 1));
	}
	for (int i = 0; full.samples < 10; i++) {
		ASSERT_GT(1000, i);
		for (int j = 0; j < 20; j++) {
			ASSERT_EQ(1, write(ask[1], &byte, 1));
			ASSERT_EQ(1, read(tell[0], &byte, 1));
		}
		stretch();
		sampler_drain(&sampler, see_full, &full);
	}
	sampler_close(&sampler);
	if (behind_earlier)
		sampler_close(&earlier);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	EXPECT_EQ(full.samples * full.depth, full.nr);
}

TEST(stacks_are_full_beside_who_enables_events)
{
	be_full_beside_enabling(_metadata, false);
}

TEST(stacks_are_full_beside_who_enables_events_behind_an_earlier_event)
{
	be_full_beside_enabling(_metadata, true);
}

TEST_HARNESS_MAIN
