// SPDX-License-Identifier: GPL-2.0-only
/* Which events are served, and in which words the others are refused. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "caps.h"
#include "harness.h"
#include "sampler.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY
#define CALL_STACK PERF_SAMPLE_BRANCH_CALL_STACK

#ifndef PERF_SAMPLE_BRANCH_COUNTERS
#define PERF_SAMPLE_BRANCH_COUNTERS (1U << 19)
#endif

static int open_error(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct sampler sampler;
	int err = sampler_open(&sampler, attr, pid, cpu);

	if (!err)
		sampler_close(&sampler);
	return -err;
}

static int bits_error(uint64_t bits)
{
	struct perf_event_attr attr = sampler_attr(bits);

	attr.exclude_kernel = !(bits & K);
	return open_error(&attr, 0, -1);
}

/*
 * perf drops what was refused by EINVAL, one bit after the other, and tells the
 * user that he cannot have branches by EOPNOTSUPP.
 */
TEST(what_cannot_be_done_is_refused_in_perfs_words)
{
	EXPECT_EQ(EINVAL, bits_error(U | ANY | PERF_SAMPLE_BRANCH_ABORT_TX));
	EXPECT_EQ(EINVAL, bits_error(U | ANY | PERF_SAMPLE_BRANCH_IN_TX));
	EXPECT_EQ(EINVAL, bits_error(U | ANY | PERF_SAMPLE_BRANCH_NO_TX));
	EXPECT_EQ(EINVAL, bits_error(U | ANY | PERF_SAMPLE_BRANCH_COUNTERS));
	/* Of what no kernel knows yet. */
	EXPECT_EQ(EINVAL, bits_error(U | ANY | 1ull << 40));
	EXPECT_EQ(EINVAL, bits_error(U | ANY | CALL_STACK));
	EXPECT_EQ(EINVAL, bits_error(U | PERF_SAMPLE_BRANCH_COND | CALL_STACK));
	EXPECT_EQ(EOPNOTSUPP, bits_error(K | CALL_STACK));
	EXPECT_EQ(EOPNOTSUPP, bits_error(U | K | CALL_STACK));
	/* A hypervisor's branches alone. */
	EXPECT_EQ(EOPNOTSUPP, bits_error(PERF_SAMPLE_BRANCH_HV | ANY));
}

TEST(each_filter_is_served)
{
	static const uint64_t filters[] = {
		ANY,
		PERF_SAMPLE_BRANCH_ANY_CALL,
		PERF_SAMPLE_BRANCH_ANY_RETURN,
		PERF_SAMPLE_BRANCH_IND_CALL,
		PERF_SAMPLE_BRANCH_COND,
		PERF_SAMPLE_BRANCH_IND_JUMP,
		PERF_SAMPLE_BRANCH_CALL,
	};

	for (unsigned int i = 0; i < 7; i++) {
		EXPECT_EQ(0, bits_error(U | filters[i]));
		EXPECT_EQ(0, bits_error(K | filters[i]));
		EXPECT_EQ(0, bits_error(U | K | filters[i]));
		EXPECT_EQ(0, bits_error(U | K | PERF_SAMPLE_BRANCH_HV |
					filters[i]));
	}
}

TEST(each_word_on_what_to_show_is_served)
{
	EXPECT_EQ(0, bits_error(U | ANY | PERF_SAMPLE_BRANCH_NO_FLAGS));
	EXPECT_EQ(0, bits_error(U | ANY | PERF_SAMPLE_BRANCH_NO_CYCLES));
	EXPECT_EQ(0, bits_error(U | ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE));
	EXPECT_EQ(0, bits_error(U | ANY | PERF_SAMPLE_BRANCH_PRIV_SAVE));
	EXPECT_EQ(0, bits_error(U | ANY | PERF_SAMPLE_BRANCH_HW_INDEX));
}

/* perf opens these on the PMU called cpu, by whatever type they have. */
TEST(events_of_every_kind_are_served)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);

	EXPECT_EQ(0, open_error(&attr, 0, -1));
	EXPECT_EQ(0, open_error(&attr, 0, 0));
	EXPECT_EQ(0, open_error(&attr, -1, 0));
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	EXPECT_EQ(0, open_error(&attr, 0, -1));
	attr.inherit = 1;
	EXPECT_EQ(0, open_error(&attr, 0, -1));
	attr.inherit = 0;
	attr.freq = 0;
	attr.sample_period = 1000000;
	EXPECT_EQ(0, open_error(&attr, 0, -1));
	attr.write_backward = 1;
	EXPECT_EQ(0, open_error(&attr, 0, -1));
}

/* A counting event has no overflow to show anything at. */
TEST(a_counting_event_may_carry_the_bit)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);

	attr.freq = 0;
	attr.sample_period = 0;
	EXPECT_EQ(0, open_error(&attr, 0, -1));
}

/* The original refuses this one after the module has changed its attributes. */
TEST(an_event_the_pmu_does_not_know_is_refused_as_ever)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);
	int branches;

	attr.config = PERF_COUNT_HW_MAX + 1;
	branches = open_error(&attr, 0, -1);
	attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = 0;
	EXPECT_NE(0, branches);
	EXPECT_EQ(open_error(&attr, 0, -1), branches);
}

TEST(plain_events_are_served_as_ever)
{
	struct perf_event_attr attr = sampler_attr(0);

	attr.sample_type &= ~PERF_SAMPLE_BRANCH_STACK;
	EXPECT_EQ(0, open_error(&attr, 0, -1));
}

/* Software events have branch stacks of no PMU. */
TEST(other_pmus_refuse_branches_as_ever)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	EXPECT_EQ(EOPNOTSUPP, open_error(&attr, 0, -1));
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	EXPECT_EQ(EOPNOTSUPP, open_error(&attr, 0, -1));
}

TEST(a_group_is_served)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);
	int leader, member;

	leader = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	ASSERT_LE(0, leader);
	attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr.disabled = 0;
	member = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
	EXPECT_LE(0, member);
	EXPECT_EQ(0, ioctl(leader, PERF_EVENT_IOC_ENABLE,
			   PERF_IOC_FLAG_GROUP));
	EXPECT_EQ(0, ioctl(leader, PERF_EVENT_IOC_DISABLE,
			   PERF_IOC_FLAG_GROUP));
	close(member);
	close(leader);
}

/* Who may see what is the core's to say: no door stands open beside it. */
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

FIXTURE(nobody)
{
	uint64_t paranoid;
};

FIXTURE_SETUP(nobody)
{
	ASSERT_TRUE(read_number(PARANOID, &self->paranoid));
}

FIXTURE_TEARDOWN(nobody)
{
	EXPECT_TRUE(write_number(PARANOID, self->paranoid));
}

/* What opening gives to a user without rights: *@user, *@kernel, *@cpu. */
static void try_as_nobody(struct __test_metadata *_metadata, int *errors)
{
	struct perf_event_attr attr = sampler_attr(U | ANY);
	int fds[2];

	ASSERT_EQ(0, pipe(fds));
	if (!fork()) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		errors[0] = open_error(&attr, 0, -1);
		attr.branch_sample_type = K | ANY;
		errors[1] = open_error(&attr, 0, -1);
		/* The branches' modes come from the event's if none are named. */
		attr.branch_sample_type = ANY;
		attr.exclude_kernel = 0;
		errors[2] = open_error(&attr, 0, -1);
		attr.branch_sample_type = U | ANY;
		attr.exclude_kernel = 1;
		errors[3] = open_error(&attr, -1, 0);
		if (write(fds[1], errors, 4 * sizeof(int)) != 4 * sizeof(int))
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(4 * sizeof(int), read(fds[0], errors, 4 * sizeof(int)));
	close(fds[0]);
	close(fds[1]);
	wait(NULL);
}

TEST_F(nobody, sees_user_branches_of_his_own_only)
{
	int errors[4];

	ASSERT_TRUE(write_number(PARANOID, 2));
	try_as_nobody(_metadata, errors);
	EXPECT_EQ(0, errors[0]);
	EXPECT_EQ(EACCES, errors[1]);
	EXPECT_EQ(EACCES, errors[2]);
	EXPECT_EQ(EACCES, errors[3]);
}

TEST_F(nobody, sees_no_more_than_he_is_allowed)
{
	int errors[4];

	ASSERT_TRUE(write_number(PARANOID, 1));
	try_as_nobody(_metadata, errors);
	EXPECT_EQ(0, errors[0]);
	EXPECT_EQ(0, errors[1]);
	EXPECT_EQ(0, errors[2]);
	EXPECT_EQ(EACCES, errors[3]);
}

/* Debian's own: nobody opens anything. */
TEST_F(nobody, sees_nothing_where_perf_is_restricted)
{
	int errors[4];

	ASSERT_TRUE(write_number(PARANOID, 3));
	try_as_nobody(_metadata, errors);
	if (!errors[0])
		SKIP(return, "the kernel knows no restriction beyond 2");
	EXPECT_EQ(EACCES, errors[0]);
	EXPECT_EQ(EACCES, errors[1]);
	EXPECT_EQ(EACCES, errors[2]);
	EXPECT_EQ(EACCES, errors[3]);
}

TEST_HARNESS_MAIN
