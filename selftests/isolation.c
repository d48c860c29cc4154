// SPDX-License-Identifier: GPL-2.0-only
/* No task is shown another's records, nor what it was before exec. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sampler.h"
#include "test.h"
#include "work.h"

#define USER_ANY (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

/* Each task's own code lies at an address of its own. */
#define PLACE_A	0x1000000000ull
#define PLACE_B	0x2000000000ull
#define PLACE_SIZE 4096

static bool is_at(uint64_t pc, uint64_t place)
{
	return pc >= place && pc < place + PLACE_SIZE;
}

/* A loop of a0 rounds, copied to @place. */
static void (*settle(uint64_t place))(uint64_t)
{
	static const uint32_t code[] = {
		0xfff50513,	/* 1: addi a0, a0, -1 */
		0xfe051ee3,	/*    bnez a0, 1b */
		0x00008067,	/*    ret */
	};
	void *at = mmap((void *)place, PLACE_SIZE,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	CHECK(at != MAP_FAILED);
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, (char *)at + sizeof(code));
	return (void (*)(uint64_t))at;
}

/* A child at PLACE_B that yields to us after every few branches. */
static pid_t start_neighbour(void)
{
	pid_t parent = getpid(), child = fork();
	void (*loop)(uint64_t);

	if (child)
		return child;
	loop = settle(PLACE_B);
	while (getppid() == parent) {
		loop(40);
		sched_yield();
	}
	_exit(0);
}

struct seen {
	pid_t self, neighbour;
	unsigned int samples, of_neighbour, of_others, others_filled;
	uint64_t own, leaked;
};

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;
	uint64_t own = PLACE_A, other = PLACE_B;

	seen->samples++;
	if ((pid_t)sample->pid == seen->neighbour) {
		seen->of_neighbour++;
		own = PLACE_B;
		other = PLACE_A;
	} else if ((pid_t)sample->pid != seen->self) {
		seen->of_others++;
		seen->others_filled += !sample->pid && sample->nr;
		own = 0;
	}
	for (uint64_t i = 0; i < sample->nr; i++) {
		uint64_t from = sample->entries[i].from;
		uint64_t to = sample->entries[i].to;

		seen->own += own && is_at(from, own);
		seen->leaked += is_at(from, other) || is_at(to, other);
		if (!own)
			seen->leaked += is_at(from, PLACE_A) ||
					is_at(to, PLACE_A);
	}
}

/* Switch between the two places all the time under what is sampled. */
static struct seen take_turns(bool task, bool cpu)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	struct sampler of_task, of_cpu;
	struct seen seen = { .self = getpid() };
	void (*loop)(uint64_t) = settle(PLACE_A);
	int status;

	attr.exclude_kernel = 1;
	attr.sample_freq = 5000;
	sampler_pin(0, 0);
	seen.neighbour = start_neighbour();
	if (task) {
		CHECK_EQ(sampler_open(&of_task, &attr, 0, -1), 0);
		sampler_enable(&of_task);
	}
	if (cpu) {
		if (task)
			attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		CHECK_EQ(sampler_open(&of_cpu, &attr, -1, 0), 0);
		sampler_enable(&of_cpu);
	}
	for (int i = 0; i < 20000; i++) {
		loop(40);
		sched_yield();
		if (i % 20)
			continue;
		if (task)
			sampler_drain(&of_task, see, &seen);
		if (cpu)
			sampler_drain(&of_cpu, see, &seen);
	}
	if (task)
		sampler_close(&of_task);
	if (cpu)
		sampler_close(&of_cpu);
	kill(seen.neighbour, SIGKILL);
	waitpid(seen.neighbour, &status, 0);
	printf("# %u samples, %u of the neighbour, %u of others, %llu own records\n",
	       seen.samples, seen.of_neighbour, seen.of_others,
	       (unsigned long long)seen.own);
	CHECK(seen.samples > 20);
	CHECK(seen.own);
	return seen;
}

TEST(task_events_show_no_other_task)
{
	struct seen seen = take_turns(true, false);

	CHECK_EQ(seen.leaked, 0);
	CHECK_EQ(seen.of_neighbour, 0);
}

TEST(cpu_events_show_each_task_its_own)
{
	struct seen seen = take_turns(false, true);

	CHECK_EQ(seen.leaked, 0);
	CHECK(seen.of_neighbour);
}

TEST(task_and_cpu_events_together_show_each_task_its_own)
{
	struct seen seen = take_turns(true, true);

	CHECK_EQ(seen.leaked, 0);
}

TEST(idle_samples_show_no_tasks_records)
{
	struct seen seen = take_turns(false, true);

	CHECK_EQ(seen.others_filled, 0);
}

/* Records of this static program lie low; those of what is executed do not. */
struct exec_seen {
	pid_t child;
	unsigned int samples, filled;
	uint64_t before;
};

static void see_exec(const struct sample *sample, void *data)
{
	struct exec_seen *seen = data;

	if ((pid_t)sample->pid != seen->child)
		return;
	seen->samples++;
	seen->filled += !!sample->nr;
	for (uint64_t i = 0; i < sample->nr; i++)
		seen->before += is_at(sample->entries[i].from, PLACE_B) ||
				is_at(sample->entries[i].to, PLACE_B);
}

static struct exec_seen record_exec(bool on_exec, bool beside_cpu_event)
{
	struct perf_event_attr attr = sampler_attr(USER_ANY);
	struct sampler sampler, beside;
	struct exec_seen seen = {};
	int go[2], status;
	char byte;

	attr.sample_freq = 10000;
	attr.enable_on_exec = on_exec;
	sampler_pin(0, 0);
	CHECK_EQ(pipe(go), 0);
	seen.child = fork();
	if (!seen.child) {
		void (*loop)(uint64_t) = settle(PLACE_B);

		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		loop(10000);
		execl("/bin/bash", "bash", "-c",
		      "for ((i = 0; i < 20000; i++)); do :; done", NULL);
		_exit(127);
	}
	CHECK_EQ(sampler_open(&sampler, &attr, seen.child, -1), 0);
	if (!on_exec)
		sampler_enable(&sampler);
	if (beside_cpu_event) {
		attr.enable_on_exec = 0;
		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		CHECK_EQ(sampler_open(&beside, &attr, -1, 0), 0);
		sampler_enable(&beside);
	}
	CHECK_EQ(write(go[1], "", 1), 1);
	CHECK_EQ(waitpid(seen.child, &status, 0), seen.child);
	CHECK_EQ(status, 0);
	sampler_drain(&sampler, see_exec, &seen);
	sampler_close(&sampler);
	if (beside_cpu_event)
		sampler_close(&beside);
	close(go[0]);
	close(go[1]);
	printf("# %u samples, %u with records\n", seen.samples, seen.filled);
	CHECK(seen.filled >= 5);
	return seen;
}

TEST(enable_on_exec_shows_nothing_from_before)
{
	CHECK_EQ(record_exec(true, false).before, 0);
}

TEST(enable_on_exec_beside_a_cpu_event_shows_nothing_from_before)
{
	CHECK_EQ(record_exec(true, true).before, 0);
}
