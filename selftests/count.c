// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events that only count, and what they leave to those that sample. QEMU loses the
 * first overflow after one that starts its counter too far ahead.
 */
#include <linux/perf_event.h>
#include <sched.h>

#include "harness.h"
#include "sampler.h"
#include "work.h"

#define USER_ANY (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

#define ROUNDS 10

/* More than 100 periods of PERIOD, also where a count takes its time. */
#define PERIOD		100000
#define MUCH_WORK	3000

FIXTURE(count)
{
	struct perf_event_attr counting, sampling;
};

FIXTURE_VARIANT(count)
{
	uint64_t config, bits;
	pid_t pid;
	int cpu;
};

#define VARIANT(_name, ...)						\
	FIXTURE_VARIANT_ADD(count, _name) { __VA_ARGS__ }

VARIANT(cycles_of_a_task, .config = PERF_COUNT_HW_CPU_CYCLES, .cpu = -1);
VARIANT(instructions_of_a_task, .config = PERF_COUNT_HW_INSTRUCTIONS, .cpu = -1);
VARIANT(cycles_of_a_cpu, .config = PERF_COUNT_HW_CPU_CYCLES, .pid = -1);
VARIANT(branches_of_a_task, .config = PERF_COUNT_HW_CPU_CYCLES, .cpu = -1,
	.bits = USER_ANY);

FIXTURE_SETUP(count)
{
	struct sched_param first = { .sched_priority = 1 };

	/* Nobody is to take the CPU: a switch starts the counters anew. */
	ASSERT_EQ(0, sampler_pin(0, 0));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	self->sampling = sampler_attr(variant->bits);
	if (!variant->bits)
		self->sampling.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	self->sampling.config = variant->config;
	self->sampling.freq = 0;
	self->sampling.sample_period = PERIOD;
	self->counting = self->sampling;
	self->counting.sample_period = 0;
}

FIXTURE_TEARDOWN(count)
{
}

static uint64_t count_of(const struct sampler *sampler)
{
	uint64_t count;

	return read(sampler->fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

TEST_F(count, samples_begin_at_once_after_an_event_that_counted)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct sampler sampler;
		unsigned int i;

		ASSERT_EQ(0, sampler_open(&sampler, &self->counting,
					  variant->pid, variant->cpu));
		sampler_enable(&sampler);
		work(1000);
		EXPECT_LT(0, count_of(&sampler));
		sampler_close(&sampler);

		ASSERT_EQ(0, sampler_open(&sampler, &self->sampling,
					  variant->pid, variant->cpu));
		sampler_enable(&sampler);
		for (i = 0; i < MUCH_WORK; i++) {
			work(1000);
			if (sampler_drain(&sampler, NULL, NULL))
				break;
		}
		EXPECT_GT(MUCH_WORK, i)
			TH_LOG("round %d: no sample", round);
		sampler_close(&sampler);
	}
}

static uint64_t count_work(struct __test_metadata *_metadata,
			   const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct sampler sampler;
	uint64_t count;

	ASSERT_EQ(0, sampler_open(&sampler, attr, pid, cpu));
	sampler_enable(&sampler);
	/* Away and back: what was counted before is not forgotten. */
	for (int i = 0; i < 10; i++) {
		work(5000);
		usleep(1);
	}
	sampler_disable(&sampler);
	count = count_of(&sampler);
	sampler_close(&sampler);
	return count;
}

/*
 * Of the same work. An emulated hart counts the host's time, in which the host may do
 * something else: but not each time. What a sample costs is a part of it: samples are few,
 * so that it is a small one on a slow host, too.
 */
TEST_F(count, events_that_count_and_that_sample_count_alike)
{
	uint64_t counted = 0, sampled = 1;

	self->sampling.sample_period = 20 * PERIOD;
	for (int round = 0; round < 100 && (counted >= sampled * 2 ||
					    sampled >= counted * 2); round++) {
		counted = count_work(_metadata, &self->counting, variant->pid,
				     variant->cpu);
		sampled = count_work(_metadata, &self->sampling, variant->pid,
				     variant->cpu);
	}
	TH_LOG("counted %lu and %lu", counted, sampled);
	EXPECT_LT(PERIOD, counted);
	EXPECT_GT(sampled * 2, counted);
	EXPECT_GT(counted * 2, sampled);
}

TEST_HARNESS_MAIN
