// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a counter overflow shows, and that recording goes on after it, whatever
 * else overflows on the same CPU.
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "caps.h"
#include "harness.h"
#include "sampler.h"
#include "transfer.h"
#include "work.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY

/* What was seen, over all samples of a recording. */
struct seen {
	unsigned int samples, empty;
	unsigned int same;	/* stacks that equal the one before */
	unsigned int detached;	/* whose newest branch leads elsewhere */
	unsigned int torn;	/* records of a size that is not their fields' */
	uint64_t last;		/* a sum over the last stack */
};

static uint64_t sum_of(const struct sample *sample)
{
	uint64_t sum = sample->nr;

	for (uint64_t i = 0; i < sample->nr; i++)
		sum = sum * 31 + (sample->entries[i].from ^
				  sample->entries[i].to);
	return sum;
}

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->samples++;
	seen->torn += !sample->whole;
	if (!sample->nr) {
		seen->empty++;
		return;
	}
	seen->same += sum_of(sample) == seen->last;
	seen->last = sum_of(sample);
	/*
	 * In user code the interrupt is the next that happens after the newest
	 * branch. In the kernel it may have waited.
	 */
	if (sample->user &&
	    !straight(sample->entries[0].to, sample->ip) &&
	    seen->detached++ < 5)
		ksft_print_msg("at %llx: %llx to %llx\n",
			       (unsigned long long)sample->ip,
			       sample->entries[0].from, sample->entries[0].to);
}

static void some_work(void)
{
	work(2000);
	work_syscalls(20);
}

FIXTURE(overflow)
{
	struct seen seen, other;
	struct sampler_recording recordings[2];
};

FIXTURE_VARIANT(overflow)
{
	uint64_t modes;
};

FIXTURE_VARIANT_ADD(overflow, user) { .modes = U };
FIXTURE_VARIANT_ADD(overflow, user_and_kernel) { .modes = U | K };

/* One event of cycles, and for those who want it one of instructions. */
FIXTURE_SETUP(overflow)
{
	self->recordings[0] = (struct sampler_recording){
		.attr = sampler_attr(variant->modes | ANY),
		.see = see,
		.data = &self->seen,
	};
	self->recordings[0].attr.exclude_kernel = !(variant->modes & K);
	self->recordings[1] = self->recordings[0];
	self->recordings[1].attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	self->recordings[1].data = &self->other;
}

FIXTURE_TEARDOWN(overflow)
{
}

/*
 * The samples are this moment's, there is something in them, and they go on. A buffer
 * that nobody thaws gives the same for ever; now and then so do two overflows in a
 * row, of a task that sleeps, and often on a kernel that looks for faults, where one
 * comes while the other's interrupt is handled.
 */
#define EXPECT_ALIVE(_seen)						\
	do {								\
		EXPECT_EQ(0, (_seen).torn);				\
		EXPECT_EQ(0, (_seen).detached);				\
		EXPECT_GE((_seen).samples,				\
			  (_seen).empty * (enough(1) ? 5 : 1));		\
		EXPECT_GE((_seen).samples * 8,				\
			  (_seen).same * (enough(1) ? 16 : 9));		\
	} while (0)

TEST_F(overflow, samples_are_of_their_moment)
{
	ASSERT_EQ(0, sampler_record(self->recordings, 1, 300, some_work));
	EXPECT_ALIVE(self->seen);
}

/* Its overflows freeze the buffer too, and never reach a branch handler. */
TEST_F(overflow, a_plain_event_beside_does_not_stop_recording)
{
	self->recordings[1].attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	self->recordings[1].attr.branch_sample_type = 0;
	self->recordings[1].attr.sample_freq = 4000;
	self->recordings[1].see = NULL;
	ASSERT_EQ(0, sampler_record(self->recordings, 2, 300, some_work));
	EXPECT_ALIVE(self->seen);
}

/* As far as they overflow together, they see the same: that of their moment. */
TEST_F(overflow, two_events_see_the_same_moment)
{
	for (int i = 0; i < 2; i++) {
		self->recordings[i].attr.freq = 0;
		self->recordings[i].attr.sample_period = 1000000;
	}
	ASSERT_EQ(0, sampler_record(self->recordings, 2, 300, some_work));
	EXPECT_ALIVE(self->seen);
	EXPECT_ALIVE(self->other);
}

TEST_F(overflow, a_user_event_beside_sees_its_moment)
{
	self->recordings[1].attr.exclude_kernel = 1;
	self->recordings[1].attr.branch_sample_type = U | ANY;
	ASSERT_EQ(0, sampler_record(self->recordings, 2, 300, some_work));
	EXPECT_ALIVE(self->seen);
	EXPECT_ALIVE(self->other);
}

/*
 * A task that sleeps all the time: the overflow may come when its event is being
 * stopped, and then has no event any more.
 */
static void short_naps(void)
{
	for (int i = 0; i < 20; i++) {
		work(100);
		usleep(1);
	}
}

TEST_F(overflow, recording_goes_on_while_its_event_comes_and_goes)
{
	ASSERT_EQ(0, sampler_record(self->recordings, 2, 300, short_naps));
	EXPECT_ALIVE(self->seen);
	EXPECT_ALIVE(self->other);
}

/* perf stops a throttled event before it handles the sample. */
#define SYSCTL	"/proc/sys/kernel/"
#define RATE	SYSCTL "perf_event_max_sample_rate"
#define PERCENT	SYSCTL "perf_cpu_time_max_percent"

/* perf's limits, as they were. */
struct limits {
	uint64_t rate, percent;
};

static bool limit_rate(uint64_t rate, struct limits *old)
{
	if (!read_number(RATE, &old->rate) || !read_number(PERCENT, &old->percent))
		return false;
	/* The rate is fixed while the share of time is not limited. */
	if ((!old->percent || old->percent == 100) && !write_number(PERCENT, 99))
		return false;
	return write_number(RATE, rate);
}

static bool restore_limits(const struct limits *old)
{
	return write_number(RATE, old->rate) && write_number(PERCENT, old->percent);
}

TEST_F(overflow, the_last_sample_before_a_throttling_is_not_empty)
{
	struct perf_event_attr *attr = &self->recordings[0].attr;
	unsigned int throttled = 0;
	struct sampler sampler;
	struct limits limits;

	/* Who has just come to another CPU may have made no branch there yet. */
	ASSERT_EQ(0, sampler_pin(0, 0));
	attr->freq = 0;
	attr->sample_period = 20000;
	ASSERT_TRUE(limit_rate(500, &limits));
	for (int i = 0; throttled < 5 && i < MANY; i++) {
		if (sampler_open(&sampler, attr, 0, -1))
			break;
		sampler_enable(&sampler);
		work(20000);
		sampler_disable(&sampler);
		sampler_drain(&sampler, see, &self->seen);
		throttled += sampler.throttled;
		sampler_close(&sampler);
	}
	ASSERT_TRUE(restore_limits(&limits));
	EXPECT_LE(5, throttled);
	EXPECT_LE(5, self->seen.samples);
	EXPECT_GT(throttled, self->seen.empty * 2);
	EXPECT_EQ(0, self->seen.detached);
}

/*
 * With one sample allowed in each tick, about half of the ticks find the event throttled, and
 * start it. A switch would start its counter anew: nobody else runs on the CPU.
 */
TEST_F(overflow, samples_go_on_after_a_throttling)
{
	struct perf_event_attr *attr = &self->recordings[0].attr;
	const struct sched_param first = { .sched_priority = 1 };
	struct sampler sampler;
	struct limits limits;
	time_t end;

	ASSERT_EQ(0, sampler_pin(0, 0));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	attr->freq = 0;
	attr->sample_period = 500000;
	ASSERT_TRUE(limit_rate(1, &limits));
	EXPECT_EQ(0, sampler_open(&sampler, attr, 0, -1));
	sampler_enable(&sampler);
	for (end = time(NULL) + 15; sampler.throttled < 200 && time(NULL) < end;) {
		work(2000);
		sampler_drain(&sampler, see, &self->seen);
	}
	sampler_close(&sampler);
	ASSERT_TRUE(restore_limits(&limits));
	EXPECT_LE(200, sampler.throttled);
	EXPECT_LE(sampler.throttled, self->seen.samples);
}

/* How many times as much the first event of a group counts as the second, from now on. */
static double count_ratio(const struct sampler members[2], uint64_t before[2])
{
	double counted[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		uint64_t now;

		if (read(members[i].fd, &now, sizeof(now)) != sizeof(now))
			return 0;
		counted[i] = (double)now - (double)before[i];
		before[i] = now;
	}
	return counted[0] / counted[1];
}

/*
 * Linux 7.x throttles all of a group at once. Both count as before, and samples of both go on.
 * Nobody else runs on the CPU, as above.
 */
TEST_F(overflow, a_throttled_group_is_counted_and_sampled_right)
{
	const struct sched_param first = { .sched_priority = 1 };
	uint64_t counts[2] = { 0 }, samples[2] = { 0 };
	struct sampler members[2] = { { .throttled = 0 } };
	double usual, throttled;
	struct limits limits;
	time_t end;

	ASSERT_EQ(0, sampler_pin(0, 0));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	for (int i = 0; i < 2; i++) {
		struct perf_event_attr *attr = &self->recordings[i].attr;

		attr->freq = 0;
		attr->sample_period = i ? 850000 : 500000;
		attr->disabled = !i;
		ASSERT_EQ(0, sampler_open_in(&members[i], attr, 0, -1,
					     i ? members[0].fd : -1));
	}
	sampler_enable(&members[0]);
	work(20000);
	usual = count_ratio(members, counts);
	ASSERT_TRUE(limit_rate(1, &limits));
	count_ratio(members, counts);
	for (end = time(NULL) + 15; time(NULL) < end;) {
		work(2000);
		for (int i = 0; i < 2; i++)
			samples[i] += sampler_drain(&members[i], see, &self->seen);
		if (samples[0] >= 200 && samples[1] >= 200 && members[0].throttled >= 50)
			break;
	}
	throttled = count_ratio(members, counts);
	sampler_disable(&members[0]);
	EXPECT_TRUE(restore_limits(&limits));
	TH_LOG("%lu and %lu samples; %.3f times as much, usually %.3f", samples[0],
	       samples[1], throttled, usual);
	EXPECT_LE(50, members[0].throttled);
	EXPECT_LE(200, samples[0]);
	EXPECT_LE(200, samples[1]);
	EXPECT_LT(usual / 2, throttled);
	EXPECT_LT(throttled, usual * 2);
	for (int i = 2; i--;)
		sampler_close(&members[i]);
}

TEST_F(overflow, a_new_period_is_kept_to)
{
	struct perf_event_attr *attr = &self->recordings[0].attr;
	uint64_t often = 100000, seldom = 1ull << 40;
	unsigned int samples = 0;
	struct sampler sampler;

	attr->freq = 0;
	attr->sample_period = seldom;
	for (int i = 0; samples < 10; i++) {
		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, sampler_open(&sampler, attr, 0, -1));
		sampler_enable(&sampler);
		work(20000);
		EXPECT_EQ(0, sampler_drain(&sampler, see, &self->seen));
		ASSERT_EQ(0, ioctl(sampler.fd, PERF_EVENT_IOC_PERIOD, &often));
		work(100000);
		samples = sampler_drain(&sampler, see, &self->seen);
		ASSERT_EQ(0, ioctl(sampler.fd, PERF_EVENT_IOC_PERIOD, &seldom));
		sampler_drain(&sampler, NULL, NULL);
		work(20000);
		EXPECT_GE(1, sampler_drain(&sampler, NULL, NULL));
		sampler_close(&sampler);
	}
	EXPECT_ALIVE(self->seen);
}

/* A program on the event has the sample prepared before the module's handler. */
TEST_F(overflow, a_bpf_program_on_the_event_leaves_its_records_whole)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insn_cnt = 2,
		.insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL",
	};
	struct sampler sampler;
	int prog;

	prog = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	if (prog < 0 && errno == ENOSYS)
		SKIP(return, "the kernel has no BPF");
	ASSERT_LE(0, prog);
	for (int i = 0; self->seen.samples < 100; i++) {
		ASSERT_GT(MANY, i);
		ASSERT_EQ(0, sampler_open(&sampler, &self->recordings[0].attr,
					  0, -1));
		ASSERT_EQ(0, ioctl(sampler.fd, PERF_EVENT_IOC_SET_BPF, prog));
		sampler_enable(&sampler);
		for (int j = 0; j < 50; j++) {
			some_work();
			sampler_drain(&sampler, see, &self->seen);
		}
		sampler_close(&sampler);
	}
	close(prog);
	EXPECT_ALIVE(self->seen);
}

/* How many of the events had a counter for a part of their time? */
static unsigned int count_turns(const struct sampler *samplers, unsigned int nr)
{
	struct {
		uint64_t count, enabled, running;
	} times;
	unsigned int turns = 0;

	for (unsigned int i = 0; i < nr; i++)
		turns += read(samplers[i].fd, &times, sizeof(times)) == sizeof(times) &&
			 times.running && times.running < times.enabled;
	return turns;
}

/* More events than counters: perf lets them take turns. */
TEST_F(overflow, events_that_take_turns_see_their_moment)
{
	struct perf_event_attr attr = self->recordings[0].attr;
	unsigned int turns = 0;
	struct sampler samplers[48];

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (int i = 0; i < 48; i++) {
		attr.config = i % 2 ? PERF_COUNT_HW_INSTRUCTIONS :
				      PERF_COUNT_HW_CPU_CYCLES;
		ASSERT_EQ(0, sampler_open(&samplers[i], &attr, 0, -1));
		sampler_enable(&samplers[i]);
	}
	for (int round = 0; round < MANY && (self->seen.samples < 100 || turns <= 24);
	     round++) {
		some_work();
		for (int i = 0; i < 48; i++)
			sampler_drain(&samplers[i], see, &self->seen);
		turns = count_turns(samplers, 48);
	}
	for (int i = 0; i < 48; i++)
		sampler_close(&samplers[i]);
	EXPECT_LT(24, turns);
	EXPECT_LE(10, self->seen.samples);
	EXPECT_EQ(0, self->seen.torn);
	EXPECT_EQ(0, self->seen.detached);
}

TEST_HARNESS_MAIN
