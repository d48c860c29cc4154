// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event is shown from before it had the task: nothing. In code without a
 * branch a sample shows what the buffer held before that code.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "harness.h"
#include "place.h"
#include "sampler.h"

#define USER_ANY (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

/* What samples in the straight code show of PLACE(0). */
struct seen {
	unsigned int samples;
	uint64_t before;
};

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	if (!is_straight(sample->ip))
		return;
	seen->samples++;
	for (uint64_t i = 0; i < sample->nr; i++)
		seen->before += is_at(sample->entries[i].from, PLACE(0)) ||
				is_at(sample->entries[i].to, PLACE(0));
}

FIXTURE(before)
{
	struct perf_event_attr attr;
	struct seen seen;
	void (*straight)(void);
	void (*loop)(uint64_t);
	char program[64];
};

FIXTURE_SETUP(before)
{
	self->attr = sampler_attr(USER_ANY);
	self->attr.sample_freq = 10000;
	self->loop = place_settle(PLACE(0));
	ASSERT_NE(NULL, self->loop);
	ASSERT_EQ(0, sampler_pin(0, 0));
}

FIXTURE_TEARDOWN(before)
{
	if (self->program[0])
		unlink(self->program);
}

/* An event of the whole CPU, which records but is not looked at. */
#define open_beside(_beside)						\
	do {								\
		struct perf_event_attr __attr = sampler_attr(USER_ANY);	\
									\
		__attr.config = PERF_COUNT_HW_INSTRUCTIONS;		\
		ASSERT_EQ(0, sampler_open(_beside, &__attr, -1, 0));	\
		sampler_enable(_beside);				\
	} while (0)

/*
 * A child runs at PLACE(0) and then executes a program that makes no branch,
 * under an event that starts before or with the program.
 */
static void exec_once(struct __test_metadata *_metadata,
		      FIXTURE_DATA(before) *self, bool beside)
{
	struct sampler sampler, of_cpu;
	int go[2], status;
	pid_t child;
	char byte;

	/* A switch between us and the child would clear the buffer as well. */
	ASSERT_EQ(0, sampler_pin(0, nr_cpus() - 1));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		ASSERT_EQ(0, sampler_pin(0, 0));
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		self->loop(10000);
		execl(self->program, self->program, NULL);
		_exit(127);
	}
	if (beside)
		open_beside(&of_cpu);
	ASSERT_EQ(0, sampler_open(&sampler, &self->attr, child, -1));
	if (!self->attr.enable_on_exec)
		sampler_enable(&sampler);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	sampler_drain(&sampler, see, &self->seen);
	sampler_close(&sampler);
	if (beside)
		sampler_close(&of_cpu);
	close(go[0]);
	close(go[1]);
}

static void exec_straight(struct __test_metadata *_metadata,
			  FIXTURE_DATA(before) *self, bool beside)
{
	int fd;

	strcpy(self->program, "/tmp/ssctr-straight-XXXXXX");
	fd = mkstemp(self->program);
	ASSERT_LE(0, fd);
	close(fd);
	ASSERT_TRUE(place_write_program(self->program));
	for (int i = 0; self->seen.samples < 10 && i < MANY; i++)
		exec_once(_metadata, self, beside);
	EXPECT_LE(10, self->seen.samples);
	EXPECT_EQ(0, self->seen.before);
}

TEST_F(before, exec_forgets_what_was_before)
{
	exec_straight(_metadata, self, false);
}

TEST_F(before, exec_forgets_what_was_before_beside_a_cpu_event)
{
	exec_straight(_metadata, self, true);
}

TEST_F(before, enabling_on_exec_shows_nothing_from_before)
{
	self->attr.enable_on_exec = 1;
	exec_straight(_metadata, self, false);
}

TEST_F(before, enabling_on_exec_beside_a_cpu_event_shows_nothing_from_before)
{
	self->attr.enable_on_exec = 1;
	exec_straight(_metadata, self, true);
}

/* The buffer was in use when the event came: its records are not the event's. */
TEST_F(before, enabling_shows_nothing_from_before)
{
	struct sampler sampler, of_cpu;

	self->straight = place_straight(PLACE_NOPS);
	ASSERT_NE(NULL, self->straight);
	for (int i = 0; self->seen.samples < 10 && i < MANY; i++) {
		open_beside(&of_cpu);
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		for (int j = 0; j < 20; j++) {
			self->loop(10000);
			sampler_enable(&sampler);
			self->straight();
			sampler_disable(&sampler);
			sampler_drain(&sampler, see, &self->seen);
		}
		sampler_close(&sampler);
		sampler_close(&of_cpu);
	}
	EXPECT_LE(10, self->seen.samples);
	EXPECT_EQ(0, self->seen.before);
}

/* An event that is opened on a task which runs already, from another CPU. */
TEST_F(before, opening_on_a_running_task_shows_nothing_from_before)
{
	volatile uint64_t *round;	/* odd: the child is in straight code */
	struct seen unknown = {};
	struct sampler of_cpu;
	pid_t child;

	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	self->straight = place_straight(PLACE_NOPS);
	ASSERT_NE(NULL, self->straight);
	round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, round);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		for (;;) {
			self->loop(10000);
			++*round;
			self->straight();
			++*round;
		}
	}
	ASSERT_EQ(0, sampler_pin(0, 1));
	open_beside(&of_cpu);
	for (int i = 0; self->seen.samples < 10 && i < 10 * MANY; i++) {
		struct sampler sampler;
		uint64_t at = *round;

		/* All of the event's life has to be in straight code. */
		while (at % 2 == 0)
			at = *round;
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, child, -1));
		sampler_enable(&sampler);
		usleep(1500);
		sampler_disable(&sampler);
		sampler_drain(&sampler, see,
			      *round == at ? &self->seen : &unknown);
		sampler_close(&sampler);
	}
	sampler_close(&of_cpu);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_LE(10, self->seen.samples);
	EXPECT_EQ(0, self->seen.before);
}

/*
 * A task that was elsewhere has done there what this CPU knows nothing of. With
 * @tracked the task has an event of its own, too, which does not run.
 */
static void go_elsewhere(struct __test_metadata *_metadata,
			 FIXTURE_DATA(before) *self, bool tracked)
{
	struct sampler sampler, idle;

	self->straight = place_straight(PLACE_NOPS);
	ASSERT_NE(NULL, self->straight);
	if (tracked)
		ASSERT_EQ(0, sampler_open(&idle, &self->attr, 0, -1));
	for (int i = 0; self->seen.samples < 10 && i < MANY; i++) {
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, -1, 0));
		sampler_enable(&sampler);
		for (int j = 0; j < 20; j++) {
			ASSERT_EQ(0, sampler_pin(0, 0));
			self->loop(10000);
			ASSERT_EQ(0, sampler_pin(0, 1));
			self->loop(10);
			ASSERT_EQ(0, sampler_pin(0, 0));
			self->straight();
			sampler_drain(&sampler, see, &self->seen);
		}
		sampler_close(&sampler);
	}
	if (tracked)
		sampler_close(&idle);
	EXPECT_LE(10, self->seen.samples);
	EXPECT_EQ(0, self->seen.before);
}

TEST_F(before, records_from_before_another_cpu_are_not_shown)
{
	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	go_elsewhere(_metadata, self, false);
}

TEST_F(before, records_kept_before_another_cpu_are_not_shown)
{
	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	go_elsewhere(_metadata, self, true);
}

/*
 * Who runs under an event of the CPU, and then under one of its own on CPU 0, but not yet under
 * its one on CPU 1. After a fork perf swaps the copies of both with it. What makes few branches
 * are system calls: what was done before all this is still there.
 */
static void fork_and_move(FIXTURE_DATA(before) *self, const int *go, const int *came)
{
	const unsigned long second = 2;
	char byte;
	long child;

	self->loop(30);
	syscall(SYS_write, came[1], "", 1);
	syscall(SYS_read, go[0], &byte, 1);
	syscall(SYS_write, came[1], "", 1);
	syscall(SYS_read, go[0], &byte, 1);
	child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!child) {
		for (int i = 0; i < 10; i++)
			syscall(SYS_sched_yield);
		_exit(0);
	}
	syscall(SYS_sched_yield);
	syscall(SYS_sched_setaffinity, 0, sizeof(second), &second);
	self->straight();
	_exit(0);
}

static void fork_once(struct __test_metadata *_metadata, FIXTURE_DATA(before) *self)
{
	struct sampler samplers[2];
	int go[2], came[2];
	char byte;
	pid_t task;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(came));
	ASSERT_EQ(0, sampler_pin(0, 0));
	task = fork();
	ASSERT_LE(0, task);
	if (!task)
		fork_and_move(self, go, came);
	ASSERT_EQ(0, sampler_pin(0, 1));
	for (int cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(1, read(came[0], &byte, 1));
		ASSERT_TRUE(wait_asleep(task));
		ASSERT_EQ(0, sampler_open(&samplers[cpu], &self->attr, task, cpu));
		sampler_enable(&samplers[cpu]);
		ASSERT_EQ(1, write(go[1], "", 1));
	}
	ASSERT_EQ(task, waitpid(task, NULL, 0));
	for (int cpu = 0; cpu < 2; cpu++) {
		sampler_drain(&samplers[cpu], see, &self->seen);
		sampler_close(&samplers[cpu]);
		close(go[cpu]);
		close(came[cpu]);
	}
}

TEST_F(before, a_fork_before_an_event_began_shows_nothing_from_before)
{
	struct sampler beside[2];
	struct perf_event_attr of_cpu = self->attr;

	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	self->straight = place_straight(PLACE_NOPS);
	ASSERT_NE(NULL, self->straight);
	of_cpu.config = PERF_COUNT_HW_INSTRUCTIONS;
	self->attr.inherit = 1;
	for (int cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, sampler_open(&beside[cpu], &of_cpu, -1, cpu));
		sampler_enable(&beside[cpu]);
	}
	for (int i = 0; i < 30 || self->seen.samples < 30; i++) {
		ASSERT_GT(MANY, i);
		fork_once(_metadata, self);
	}
	for (int cpu = 0; cpu < 2; cpu++)
		sampler_close(&beside[cpu]);
	EXPECT_EQ(0, self->seen.before);
}

/*
 * An event that is enabled and disabled at any time, also while its task is off
 * the CPU or has just come back, beside another that records all the time.
 */
TEST_F(before, enabling_at_any_time_shows_nothing_from_before)
{
	uint64_t random = random_seed(), wanted = ask("SSCTR_ROUNDS", 10) * 15;
	struct perf_event_attr beside = self->attr;
	struct sampler sampler, always;
	volatile uint64_t *round;	/* odd: the child is in straight code */
	struct seen unknown = {};
	uint64_t lives = 0, i;
	pid_t child, rival;

	if (nr_cpus() < 2)
		SKIP(return, "it takes two harts");
	self->straight = place_straight(PLACE_NOPS);
	ASSERT_NE(NULL, self->straight);
	round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, round);
	rival = fork();
	if (!rival)
		for (;;)
			sched_yield();
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		for (;;) {
			self->loop(10000);
			++*round;
			self->straight();
			++*round;
		}
	}
	ASSERT_EQ(0, sampler_pin(0, 1));
	beside.config = PERF_COUNT_HW_INSTRUCTIONS;
	beside.sample_freq = 100;
	ASSERT_EQ(0, sampler_open(&always, &beside, child, -1));
	sampler_enable(&always);
	ASSERT_EQ(0, sampler_open(&sampler, &self->attr, child, -1));
	for (i = 0; lives < wanted || self->seen.samples < 10; i++) {
		uint64_t at;
		bool within;

		ASSERT_GT(100 * wanted, i);
		usleep(random_next(&random) % 1500);
		at = *round;
		sampler_enable(&sampler);
		usleep(random_next(&random) % 1500);
		sampler_disable(&sampler);
		within = at % 2 && *round == at;
		lives += within;
		sampler_drain(&sampler, see, within ? &self->seen : &unknown);
	}
	kill(child, SIGKILL);
	kill(rival, SIGKILL);
	waitpid(child, NULL, 0);
	waitpid(rival, NULL, 0);
	sampler_close(&sampler);
	sampler_close(&always);
	EXPECT_EQ(0, self->seen.before);
}

TEST_HARNESS_MAIN
