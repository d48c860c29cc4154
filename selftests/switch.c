// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that an event follows finds its records again when it comes back to a
 * CPU, whatever ran there meanwhile: stacks are full, and each branch in them leads
 * to the next.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "caps.h"
#include "harness.h"
#include "place.h"
#include "sampler.h"
#include "transfer.h"

#define USER_ANY (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

struct seen {
	pid_t pid;		/* whose samples count */
	unsigned int samples, full;
	uint64_t records, torn;
	uint64_t depth;		/* of a full stack */
};

/* There is nothing but straight code from @pc to the next branch at @to. */
static bool leads_to(uint64_t pc, uint64_t to)
{
	return straight(pc, to) || (is_straight(pc) && is_straight(to - 2));
}

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	if (sample->pid != seen->pid)
		return;
	seen->samples++;
	seen->full += sample->nr == seen->depth;
	seen->records += sample->nr;
	for (uint64_t i = 1; i < sample->nr; i++)
		if (!leads_to(sample->entries[i].to,
			      sample->entries[i - 1].from) &&
		    seen->torn++ < 3)
			ksft_print_msg("sample %u, entry %llu of %llu: %#llx to %#llx, then %#llx\n",
				       seen->samples, (unsigned long long)i,
				       (unsigned long long)sample->nr,
				       (unsigned long long)sample->entries[i].from,
				       (unsigned long long)sample->entries[i].to,
				       (unsigned long long)sample->entries[i - 1].from);
}

/* kernel.perf_event_max_stack, to which newer kernels cut stacks. */
#define MAX_STACK 127

static uint64_t full_stack(void)
{
	uint64_t depth = caps_branches();

	return depth < MAX_STACK ? depth : MAX_STACK;
}

FIXTURE(switch)
{
	struct perf_event_attr attr;
	struct seen seen;
	void (*loop)(uint64_t);
	void (*stretch)(void);
	pid_t neighbour;
	uint64_t *turns;
};

/* A neighbour on the same CPU, that yields to us as often as we to it. */
FIXTURE_SETUP(switch)
{
	self->attr = sampler_attr(USER_ANY);
	/* Not by a rate: perf begins with many samples, of stacks not yet full. */
	self->attr.freq = 0;
	self->attr.sample_period = 200000;
	/* A hart that is deeper than this shows the newest of its records. */
	self->attr.sample_max_stack = full_stack();
	self->seen.depth = full_stack();
	ASSERT_LT(0, self->seen.depth);
	self->seen.pid = getpid();
	self->loop = place_settle(PLACE(0));
	ASSERT_NE(NULL, self->loop);
	/* Without a branch, so that a sample in it shows what was before. */
	self->stretch = place_straight(PLACE_STRETCH * 8);
	ASSERT_NE(NULL, self->stretch);
	/* An emulator takes longer over code that it meets for the first time. */
	self->stretch();
	self->turns = mmap(NULL, sizeof(*self->turns), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->turns);
	ASSERT_EQ(0, sampler_pin(0, 0));
	self->neighbour = fork();
	if (!self->neighbour) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		place_move(PLACE(1), self->turns);
	}
}

FIXTURE_TEARDOWN(switch)
{
	kill(self->neighbour, SIGKILL);
	waitpid(self->neighbour, NULL, 0);
}

/*
 * Switch between us and the neighbour all the time, with forty branches a turn: a
 * full stack holds those of several turns.
 */
static void take_turns(struct __test_metadata *_metadata,
		       FIXTURE_DATA(switch) *self, bool beside_cpu_event)
{
	uint64_t turns = __atomic_load_n(self->turns, __ATOMIC_RELAXED);
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	struct sampler sampler, of_cpu;

	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	for (int i = 0; self->seen.samples < 200; i++) {
		ASSERT_GT(MANY, i);
		if (beside_cpu_event) {
			ASSERT_EQ(0, sampler_open(&of_cpu, &attr, -1, 0));
			sampler_enable(&of_cpu);
		}
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		sampler_enable(&sampler);
		for (int j = 0; j < 200; j++) {
			self->loop(40);
			self->stretch();
			sched_yield();
			if (j % 20 == 0)
				sampler_drain(&sampler, see, &self->seen);
		}
		sampler_close(&sampler);
		if (beside_cpu_event)
			sampler_close(&of_cpu);
	}
	TH_LOG("%u samples, %u full", self->seen.samples, self->seen.full);
	EXPECT_LT(turns + 100, *self->turns);
	EXPECT_EQ(0, self->seen.torn);
}

TEST_F(switch, a_task_finds_its_records_again)
{
	take_turns(_metadata, self, false);
	EXPECT_LE(self->seen.samples * 4, self->seen.full * 5);
}

TEST_F(switch, a_task_finds_its_records_again_beside_a_cpu_event)
{
	take_turns(_metadata, self, true);
	EXPECT_LE(self->seen.samples * 4, self->seen.full * 5);
}

static void see_full(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	if (sample->pid != seen->pid)
		return;
	seen->samples++;
	seen->full += sample->nr == seen->depth;
}

/*
 * The kernel is recorded, so that a switch lets the buffer stand still until perf has given
 * its counters to who comes. It does so for whoever has an event of them. This task has an
 * event of @type that only counts.
 */
static void be_recorded_with_cpu(struct __test_metadata *_metadata, FIXTURE_DATA(switch) *self,
				 uint32_t type, uint64_t config)
{
	struct perf_event_attr count = {
		.type = type,
		.size = sizeof(count),
		.config = config,
		.exclude_kernel = 1,
	};
	int counter = syscall(SYS_perf_event_open, &count, 0, -1, -1, 0);
	struct sampler of_cpu;

	ASSERT_LE(0, counter);
	/* Fewer than a stack holds are of one turn. */
	self->attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL |
					PERF_SAMPLE_BRANCH_ANY_RETURN;
	self->attr.exclude_kernel = 0;
	for (int i = 0; self->seen.samples < 400; i++) {
		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, sampler_open(&of_cpu, &self->attr, -1, 0));
		sampler_enable(&of_cpu);
		for (int j = 0; j < 400; j++) {
			self->stretch();
			sched_yield();
			/* The first ones have not as many behind them. */
			sampler_drain(&of_cpu, j < 100 ? NULL : see_full, &self->seen);
		}
		sampler_close(&of_cpu);
	}
	close(counter);
	TH_LOG("%u samples, %u full", self->seen.samples, self->seen.full);
	EXPECT_LE(self->seen.samples * 19, self->seen.full * 20);
}

TEST_F(switch, a_task_that_is_only_counted_keeps_its_records_for_a_cpu_event)
{
	be_recorded_with_cpu(_metadata, self, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

/* Anybody may have one, and must not hide by it from who records the CPU. */
TEST_F(switch, a_task_with_an_event_of_another_pmu_keeps_its_records_for_a_cpu_event)
{
	be_recorded_with_cpu(_metadata, self, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

/* From one CPU to the other every few branches. */
TEST_F(switch, a_task_finds_its_records_on_another_cpu)
{
	struct sampler sampler;

	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	for (int i = 0; self->seen.samples < 50; i++) {
		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		sampler_enable(&sampler);
		for (int j = 0; j < 400; j++) {
			ASSERT_EQ(0, sampler_pin(0, j % nr_cpus()));
			self->loop(20);
			self->stretch();
			sampler_drain(&sampler, see, &self->seen);
		}
		sampler_close(&sampler);
	}
	TH_LOG("%u samples, %u full", self->seen.samples, self->seen.full);
	EXPECT_EQ(0, self->seen.torn);
	EXPECT_LE(self->seen.samples * 4, self->seen.full * 5);
}

/*
 * While a task sleeps, the last event ends under which it left the CPU, and nobody
 * follows its coming back. An event of its own finds it all the same.
 */
TEST_F(switch, an_event_is_filled_after_another_ended_in_the_tasks_sleep)
{
	int ours[2], theirs[2];
	struct sampler sampler;
	pid_t child;

	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	kill(self->neighbour, SIGKILL);
	ASSERT_EQ(0, pipe(ours));
	ASSERT_EQ(0, pipe(theirs));
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ASSERT_EQ(0, sampler_pin(0, 1));
		for (;;) {
			if (sampler_open(&sampler, &self->attr, -1, 0))
				_exit(1);
			sampler_enable(&sampler);
			say(ours[1]);
			hear(theirs[0]);
			usleep(1000);
			sampler_close(&sampler);
			usleep(1000);
			say(ours[1]);
		}
	}
	close(ours[1]);
	/* Any stack with a record in it is a filled one here. */
	self->attr.sample_max_stack = 1;
	self->seen.depth = 1;
	for (int i = 0; self->seen.samples < 20; i++) {
		ASSERT_GT(MANY, i);
		hear(ours[0]);
		self->loop(100000);
		say(theirs[1]);
		hear(ours[0]);
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		sampler_enable(&sampler);
		self->loop(3000000);
		sampler_drain(&sampler, see, &self->seen);
		sampler_close(&sampler);
	}
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	TH_LOG("%u samples, %u filled", self->seen.samples, self->seen.full);
	EXPECT_LE(self->seen.samples * 97, self->seen.full * 100);
}

static void see_visit(const struct sample *sample, void *data)
{
	uint64_t *first = data;

	if (!*first)
		*first = 1 + sample->nr;
}

/*
 * A child that was recorded on CPU 0 comes to CPU 1, which has an event of its own,
 * enabled with the other one, or not before the child is about to come. The child is
 * stopped while both are enabled: if it ran in between, they would not be of one moment.
 * Returns how many branches the first sample there shows.
 */
static uint64_t visit(struct __test_metadata *_metadata, FIXTURE_DATA(switch) *self, bool late)
{
	int go[2], there[2], status;
	struct sampler samplers[2];
	uint64_t first = 0;
	pid_t task;

	self->attr.sample_period = 20000;
	for (int i = 0; !first; i++) {
		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, pipe(go));
		ASSERT_EQ(0, pipe(there));
		task = fork();
		if (!task) {
			raise(SIGSTOP);
			self->loop(1000);
			say(there[1]);
			hear(go[0]);
			if (sampler_pin(0, 1))
				_exit(1);
			for (int j = 0; j < 8; j++)
				self->stretch();
			_exit(0);
		}
		ASSERT_EQ(task, waitpid(task, &status, WUNTRACED));
		ASSERT_TRUE(WIFSTOPPED(status));
		for (int j = 0; j < 2; j++)
			ASSERT_EQ(0, sampler_open(&samplers[j], &self->attr, task, j));
		sampler_enable(&samplers[0]);
		if (!late)
			sampler_enable(&samplers[1]);
		ASSERT_EQ(0, kill(task, SIGCONT));
		hear(there[0]);
		if (late)
			sampler_enable(&samplers[1]);
		say(go[1]);
		ASSERT_EQ(task, waitpid(task, &status, 0));
		ASSERT_EQ(0, status);
		sampler_drain(&samplers[1], see_visit, &first);
		for (int j = 0; j < 2; j++) {
			sampler_close(&samplers[j]);
			close(go[j]);
			close(there[j]);
		}
	}
	return first - 1;
}

/* As perf record does, which has an event for each CPU. */
TEST_F(switch, a_task_brings_its_records_to_a_cpu_where_it_never_was)
{
	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	EXPECT_EQ(self->seen.depth, visit(_metadata, self, false));
}

TEST_F(switch, an_event_that_is_enabled_later_shows_nothing_of_another_cpu)
{
	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	EXPECT_GT(self->seen.depth, visit(_metadata, self, true));
}

TEST_HARNESS_MAIN
