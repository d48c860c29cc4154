// SPDX-License-Identifier: GPL-2.0-only
/*
 * No sample shows a record of another task than its own, and no event one of a
 * mode that it did not ask for. Tasks whose code lies at disjoint addresses take
 * turns on one CPU all the time.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>

#include "harness.h"
#include "place.h"
#include "sampler.h"
#include "transfer.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY

#define NR_TASKS 3

/* What the parent and its tasks share. */
struct shared {
	uint64_t turns[NR_TASKS];
	pid_t pids[NR_TASKS];
	bool start;
};

/* What one event was shown. */
struct seen {
	const struct shared *shared;
	bool kernel;		/* may be shown */
	uint64_t own;		/* a task's records in its own samples */
	uint64_t foreign;	/* another's, in any sample */
	uint64_t modes;		/* kernel addresses for who may not see them */
	uint64_t torn;
	unsigned int samples, of_others, others_filled;
};

/* The number of the task, or -1. */
static int task_of(const struct shared *shared, pid_t pid)
{
	for (int i = 0; i < NR_TASKS; i++)
		if (shared->pids[i] == pid)
			return i;
	return -1;
}

static bool is_foreign(uint64_t pc, int task)
{
	if (!pc || in_kernel(pc))
		return false;
	if (task >= 0)
		return !is_at(pc, PLACE(task));
	for (int i = 0; i < NR_TASKS; i++)
		if (is_at(pc, PLACE(i)))
			return true;
	return false;
}

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;
	int task = task_of(seen->shared, sample->pid);

	seen->samples++;
	seen->torn += !sample->whole;
	if (task < 0) {
		seen->of_others++;
		/* A CPU that idles has no records of its own in user code. */
		seen->others_filled += !sample->pid && sample->nr &&
				       !seen->kernel;
	}
	for (uint64_t i = 0; i < sample->nr; i++) {
		uint64_t from = sample->entries[i].from;
		uint64_t to = sample->entries[i].to;
		bool foreign = is_foreign(from, task) || is_foreign(to, task);

		seen->own += task >= 0 && !foreign;
		seen->foreign += foreign;
		seen->modes += !seen->kernel && (in_kernel(from) ||
						 in_kernel(to));
	}
}

/* A task that waits for the start, and becomes NR_TASKS ones. */
static pid_t start_leader(struct shared *shared)
{
	pid_t leader = fork();

	if (leader)
		return leader;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!__atomic_load_n(&shared->start, __ATOMIC_ACQUIRE))
		usleep(100);
	for (int i = 0; i < NR_TASKS; i++) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			/* Its parent may learn of it after its first turns. */
			shared->pids[i] = getpid();
			place_move(PLACE(i), &shared->turns[i]);
		}
		if (pid < 0)
			_exit(1);
	}
	for (;;)
		pause();
}

static bool all_took_turns(const struct shared *shared)
{
	for (int i = 0; i < NR_TASKS; i++)
		if (!__atomic_load_n(&shared->turns[i], __ATOMIC_ACQUIRE))
			return false;
	return true;
}

FIXTURE(isolation)
{
	struct shared *shared;
	pid_t leader;
	struct seen one, other;
};

/* The tasks by one event, and perhaps by another one beside it. */
struct event {
	bool used, cpu, inherit;
	uint64_t modes;
};

FIXTURE_VARIANT(isolation)
{
	struct event one, other;
};

/* A task's event follows the first of them, an inherited one all. */
#define OF_TASK(_modes)		{ .used = true, .modes = _modes }
#define OF_TASKS(_modes)	{ .used = true, .inherit = true, .modes = _modes }
#define OF_CPU(_modes)		{ .used = true, .cpu = true, .modes = _modes }

#define VARIANT(_name, ...)						\
	FIXTURE_VARIANT_ADD(isolation, _name) { __VA_ARGS__ }

VARIANT(task_event, .one = OF_TASK(U));
VARIANT(inherited_events, .one = OF_TASKS(U));
VARIANT(cpu_event, .one = OF_CPU(U));
VARIANT(task_and_cpu_event, .one = OF_TASK(U), .other = OF_CPU(U));
VARIANT(inherited_and_cpu_event, .one = OF_TASKS(U), .other = OF_CPU(U));
VARIANT(task_event_beside_a_kernel_event, .one = OF_TASK(U),
	.other = OF_CPU(U | K));
VARIANT(inherited_events_beside_a_kernel_event, .one = OF_TASKS(U),
	.other = OF_CPU(U | K));
VARIANT(cpu_event_beside_a_kernel_event, .one = OF_CPU(U),
	.other = OF_TASKS(U | K));

FIXTURE_SETUP(isolation)
{
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	self->one.shared = self->shared;
	self->one.kernel = variant->one.modes & K;
	self->other.shared = self->shared;
	self->other.kernel = variant->other.modes & K;
	/* The tasks on the first CPU, we on the last. */
	ASSERT_EQ(0, sampler_pin(0, 0));
}

FIXTURE_TEARDOWN(isolation)
{
	munmap(self->shared, sizeof(*self->shared));
}

static int open_event(struct sampler *sampler, const struct event *event,
		      uint64_t config, pid_t leader, pid_t first)
{
	struct perf_event_attr attr = sampler_attr(event->modes | ANY);

	if (!event->used)
		return 0;
	attr.config = config;
	/*
	 * What samples the kernel as often samples its own samples. And longer than a
	 * sample takes on a busy machine: an emulated counter interrupts by time, also
	 * in a mode in which it does not count, and nothing else would be done.
	 */
	attr.freq = 0;
	attr.sample_period = event->modes & K ? 4000000 : 500000;
	/*
	 * By a rate on a CPU: an overflow that comes while another event is stopped
	 * makes the kernel stop all counters and start none. A switch starts those of
	 * a task again, and a tick those of a CPU if they have a rate.
	 */
	if (event->cpu) {
		attr.freq = 1;
		attr.sample_freq = event->modes & K ? 1000 : 4000;
	}
	attr.exclude_kernel = !(event->modes & K);
	attr.inherit = event->inherit;
	if (event->cpu)
		return sampler_open(sampler, &attr, -1, 0);
	return sampler_open(sampler, &attr, event->inherit ? leader : first, 0);
}

/* Returns the samples that came of it. */
static unsigned int drain(struct sampler *sampler, struct seen *seen,
			  const struct event *event)
{
	return event->used ? sampler_drain(sampler, see, seen) : 1;
}

/* Naps of 10 ms without a sample of each event: ten minutes. */
#define TOO_LONG 60000

/* Why is there none: does the counter interrupt, and what did the module see of it? */
static void show_machine(void)
{
	if (system("{ cat /sys/kernel/debug/ssctr/state; grep -i pmu /proc/interrupts;"
		   "sleep 1; grep -i pmu /proc/interrupts; } | sed 's/^/# /'"))
		printf("# nor can that be told\n");
}

TEST_F(isolation, each_task_is_shown_its_own_records_only)
{
	uint64_t wanted = ask("SSCTR_RECORDS", 20000);
	struct shared *shared = self->shared;
	struct sampler one, other;
	unsigned int idle = 0;

	ASSERT_EQ(0, sampler_pin(0, 0));
	self->leader = start_leader(shared);
	ASSERT_LT(0, self->leader);
	ASSERT_EQ(0, sampler_pin(0, nr_cpus() - 1));
	/* Events that are inherited are there before the heirs. */
	if (variant->one.inherit)
		ASSERT_EQ(0, open_event(&one, &variant->one,
					PERF_COUNT_HW_CPU_CYCLES, self->leader,
					0));
	if (variant->other.inherit)
		ASSERT_EQ(0, open_event(&other, &variant->other,
					PERF_COUNT_HW_INSTRUCTIONS,
					self->leader, 0));
	__atomic_store_n(&shared->start, true, __ATOMIC_RELEASE);
	while (!all_took_turns(shared)) {
		ASSERT_EQ(0, waitpid(self->leader, NULL, WNOHANG));
		usleep(1000);
	}
	if (!variant->one.inherit)
		ASSERT_EQ(0, open_event(&one, &variant->one,
					PERF_COUNT_HW_CPU_CYCLES, self->leader,
					shared->pids[0]));
	if (!variant->other.inherit)
		ASSERT_EQ(0, open_event(&other, &variant->other,
					PERF_COUNT_HW_INSTRUCTIONS,
					self->leader, shared->pids[0]));
	sampler_enable(&one);
	if (variant->other.used)
		sampler_enable(&other);
	while (self->one.own < wanted ||
	       (variant->other.used && !self->other.own)) {
		usleep(10000);
		if (drain(&one, &self->one, &variant->one) &&
		    drain(&other, &self->other, &variant->other))
			idle = 0;
		else
			idle++;
		if (idle > 100 && !enough(1))
			break;
		ASSERT_GT(TOO_LONG, idle) {
			TH_LOG("%u and %u samples, %llu and %llu own records",
			       self->one.samples, self->other.samples,
			       (unsigned long long)self->one.own,
			       (unsigned long long)self->other.own);
			show_machine();
		}
	}
	sampler_close(&one);
	if (variant->other.used)
		sampler_close(&other);
	for (int i = 0; i < NR_TASKS; i++)
		ASSERT_EQ(0, kill(shared->pids[i], SIGKILL));
	kill(self->leader, SIGKILL);
	waitpid(self->leader, NULL, 0);
	TH_LOG("%llu and %llu own records in %u and %u samples, %u of others",
	       (unsigned long long)self->one.own,
	       (unsigned long long)self->other.own, self->one.samples,
	       self->other.samples, self->one.of_others + self->other.of_others);
	EXPECT_EQ(0, self->one.foreign);
	EXPECT_EQ(0, self->other.foreign);
	EXPECT_EQ(0, self->one.modes);
	EXPECT_EQ(0, self->other.modes);
	EXPECT_EQ(0, self->one.others_filled);
	EXPECT_EQ(0, self->other.others_filled);
	EXPECT_EQ(0, self->one.torn + self->other.torn);
	if (variant->other.used)
		EXPECT_LE(enough(1), self->other.own);
}

struct idle_seen {
	unsigned int samples, filled;
	uint64_t of_tasks;
};

static void see_idle(const struct sample *sample, void *data)
{
	struct idle_seen *seen = data;

	if (sample->pid) {
		seen->of_tasks += sample->nr;
		return;
	}
	seen->samples++;
	seen->filled += sample->nr > 0;
}

/* The buffer stays with the task before; its records are shown to nobody else. */
TEST(an_idle_cpu_shows_nobodys_records)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);
	struct idle_seen seen = {};
	struct sampler sampler;
	unsigned int naps = 0;
	pid_t child;

	ASSERT_EQ(0, sampler_pin(0, 0));
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		void (*loop)(uint64_t) = place_settle(PLACE(0));

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* Often long enough to be sampled itself, and across a tick. */
		for (int i = 0; loop; i++) {
			loop(i % 10 ? 1000 : 10000000);
			usleep(1000);
		}
		_exit(1);
	}
	ASSERT_EQ(0, sampler_pin(0, nr_cpus() - 1));
	attr.sample_freq = 10000;
	attr.exclude_kernel = 0;
	ASSERT_EQ(0, sampler_open(&sampler, &attr, -1, 0));
	sampler_enable(&sampler);
	while (seen.samples < 50 || seen.of_tasks < 1000) {
		ASSERT_EQ(0, waitpid(child, NULL, WNOHANG));
		ASSERT_GT(TOO_LONG, naps++);
		usleep(10000);
		sampler_drain(&sampler, see_idle, &seen);
	}
	sampler_close(&sampler);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	TH_LOG("%u samples while idle, %llu records of tasks", seen.samples,
	       (unsigned long long)seen.of_tasks);
	EXPECT_EQ(0, seen.filled);
}

TEST_HARNESS_MAIN
