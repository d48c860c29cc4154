// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads have copies of the same events, and perf swaps those of two threads instead of
 * removing the ones and adding the others. Which kind has its turn differs between them:
 * call stacks or branches.
 *
 * A sample right after an event got its turn has few records. An emulator whose counters
 * count time makes many such if it stands still: the counter overflows meanwhile, and perf
 * takes the turn back. So this wants counters that count instructions.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "harness.h"
#include "sampler.h"
#include "work.h"

#define U		PERF_SAMPLE_BRANCH_USER
#define ANY		PERF_SAMPLE_BRANCH_ANY
#define CALL_STACK	PERF_SAMPLE_BRANCH_CALL_STACK

struct seen {
	unsigned int samples, whole;
};

/* Who works makes many branches, of which few are calls that have not returned. */
static void see_logs(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->samples++;
	seen->whole += sample->nr >= 8;
}

static void *work_in_turns(void *data)
{
	(void)data;
	for (int i = 0; i < 200; i++) {
		work(700);
		sched_yield();
	}
	return NULL;
}

TEST(threads_whose_kinds_of_events_differ_are_swapped)
{
	struct perf_event_attr attr = sampler_attr(U | CALL_STACK);
	struct perf_event_attr any = sampler_attr(U | ANY);
	struct seen logs = {};
	struct sampler one, other;
	int start[2], status;
	pid_t task;

	attr.inherit = 1;
	any.inherit = 1;
	any.config = PERF_COUNT_HW_INSTRUCTIONS;
	any.freq = 0;
	any.sample_period = 30000;
	ASSERT_EQ(0, pipe(start));
	task = fork();
	if (!task) {
		pthread_t threads[3];

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		hear(start[0]);
		for (int i = 0; i < 3; i++)
			if (pthread_create(&threads[i], NULL, work_in_turns, NULL))
				_exit(1);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
		_exit(0);
	}
	ASSERT_EQ(0, sampler_pin(task, 0));
	ASSERT_EQ(0, sampler_open(&one, &attr, task, 0));
	ASSERT_EQ(0, sampler_open(&other, &any, task, 0));
	sampler_enable(&one);
	sampler_enable(&other);
	say(start[1]);
	do {
		usleep(2000);
		sampler_drain(&one, NULL, NULL);
		sampler_drain(&other, see_logs, &logs);
	} while (!waitpid(task, &status, WNOHANG));
	EXPECT_EQ(0, status);
	sampler_drain(&other, see_logs, &logs);
	sampler_close(&one);
	sampler_close(&other);
	TH_LOG("%u samples, %u of eight records and more", logs.samples, logs.whole);
	EXPECT_LE(enough(50), logs.samples);
	EXPECT_LE(logs.samples * 99, logs.whole * 100);
}

TEST_HARNESS_MAIN
