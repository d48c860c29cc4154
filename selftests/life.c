// SPDX-License-Identifier: GPL-2.0-only
/* Events over their life: inherited, enabled, disabled, left behind. */
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harness.h"
#include "sampler.h"
#include "transfer.h"
#include "work.h"

#define USER_ANY (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

struct seen {
	pid_t pid, tid;		/* whose samples are counted */
	unsigned int filled, of_others;	/* samples */
	uint64_t torn;		/* of a wrong size, or branches that do not meet */
};

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;

	seen->torn += !sample->whole;
	for (uint64_t i = 1; i < sample->nr; i++)
		seen->torn += !straight(sample->entries[i].to,
					sample->entries[i - 1].from);
	if (sample->pid != seen->pid ||
	    (seen->tid && sample->tid != seen->tid)) {
		seen->of_others++;
		return;
	}
	/* The first ones may come before the first branch. */
	seen->filled += !!sample->nr;
}

FIXTURE(life)
{
	struct perf_event_attr attr;
	struct seen seen;
};

FIXTURE_SETUP(life)
{
	self->attr = sampler_attr(USER_ANY);
	self->seen.pid = getpid();
	ASSERT_EQ(0, sampler_pin(0, 0));
}

FIXTURE_TEARDOWN(life)
{
}

#define UNTIL(_condition)						\
	for (int _try = 0; !(_condition); ({				\
		_try++;							\
		ASSERT_GT(MANY, _try);					\
	}))

TEST_F(life, children_inherit_their_parents_recording)
{
	self->attr.inherit = 1;
	UNTIL(self->seen.filled >= 20) {
		struct sampler sampler;
		pid_t child;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, 0));
		sampler_enable(&sampler);
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			work(50000);
			_exit(0);
		}
		self->seen.pid = child;
		ASSERT_EQ(child, waitpid(child, NULL, 0));
		sampler_drain(&sampler, see, &self->seen);
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, self->seen.torn);
}

TEST_F(life, grandchildren_inherit_it_also_when_its_event_is_gone)
{
	self->attr.inherit = 1;
	UNTIL(self->seen.filled >= 20) {
		struct sampler sampler;
		int fds[2], status;
		pid_t child;

		ASSERT_EQ(0, pipe(fds));
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, 0));
		sampler_enable(&sampler);
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			pid_t grandchild = fork();

			if (!grandchild) {
				work(50000);
				_exit(0);
			}
			if (write(fds[1], &grandchild, sizeof(grandchild)) < 0)
				_exit(1);
			_exit(waitpid(grandchild, NULL, 0) != grandchild);
		}
		ASSERT_EQ(sizeof(self->seen.pid), read(fds[0], &self->seen.pid,
						       sizeof(self->seen.pid)));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(0, status);
		sampler_drain(&sampler, see, &self->seen);
		sampler_close(&sampler);
		close(fds[0]);
		close(fds[1]);
	}
	EXPECT_EQ(0, self->seen.torn);
}

static void *run_thread(void *data)
{
	*(pid_t *)data = gettid();
	work(50000);
	return NULL;
}

TEST_F(life, threads_inherit_it)
{
	self->attr.inherit = 1;
	UNTIL(self->seen.filled >= 20) {
		struct sampler sampler;
		pthread_t thread;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, 0));
		sampler_enable(&sampler);
		ASSERT_EQ(0, pthread_create(&thread, NULL, run_thread,
					    &self->seen.tid));
		ASSERT_EQ(0, pthread_join(thread, NULL));
		sampler_drain(&sampler, see, &self->seen);
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, self->seen.torn);
}

/*
 * A ring that is written backward has the newest record first, at its head. If that is the
 * only one it may have come before the first branch.
 */
TEST_F(life, backward_rings_are_written_backward)
{
	struct perf_event_header header = { 0 };
	uint64_t head, size;

	self->attr.write_backward = 1;
	UNTIL(header.size > 1000) {
		struct sampler sampler;
		const char *data;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		sampler_enable(&sampler);
		work(50000);
		sampler_disable(&sampler);
		head = __atomic_load_n(&sampler.ring->data_head,
				       __ATOMIC_ACQUIRE);
		size = sampler.ring->data_size;
		data = (const char *)sampler.ring + sampler.ring->data_offset;
		if (head) {
			EXPECT_GT(0, (int64_t)head);
			memcpy(&header, data + head % size, sizeof(header));
			EXPECT_EQ(PERF_RECORD_SAMPLE, header.type);
		}
		sampler_close(&sampler);
	}
}

TEST_F(life, children_inherit_backward_rings)
{
	uint64_t head = 0;

	self->attr.write_backward = 1;
	self->attr.inherit = 1;
	UNTIL(head) {
		struct sampler sampler;
		pid_t child;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, 0));
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0, 0);
			usleep(20000);
			work(50000);
			_exit(0);
		}
		usleep(10000);
		sampler_enable(&sampler);
		ASSERT_EQ(child, waitpid(child, NULL, 0));
		head = __atomic_load_n(&sampler.ring->data_head,
				       __ATOMIC_ACQUIRE);
		EXPECT_GE(0, (int64_t)head);
		sampler_close(&sampler);
	}
}

TEST_F(life, an_event_follows_its_task_only)
{
	UNTIL(self->seen.filled >= 50) {
		struct sampler sampler;
		pid_t child;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		sampler_enable(&sampler);
		child = fork();
		ASSERT_LE(0, child);
		if (!child) {
			work(20000);
			_exit(0);
		}
		work(20000);
		ASSERT_EQ(child, waitpid(child, NULL, 0));
		sampler_drain(&sampler, see, &self->seen);
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, self->seen.torn);
	EXPECT_EQ(0, self->seen.of_others);
}

TEST_F(life, what_a_task_left_behind_can_still_be_read)
{
	UNTIL(self->seen.filled >= 20) {
		struct sampler sampler;
		int fds[2];
		char byte;

		ASSERT_EQ(0, pipe(fds));
		self->seen.pid = fork();
		ASSERT_LE(0, self->seen.pid);
		if (!self->seen.pid) {
			if (read(fds[0], &byte, 1) != 1)
				_exit(1);
			work(50000);
			_exit(0);
		}
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, self->seen.pid,
					  -1));
		sampler_enable(&sampler);
		ASSERT_EQ(1, write(fds[1], "", 1));
		ASSERT_EQ(self->seen.pid, waitpid(self->seen.pid, NULL, 0));
		/* The task is gone, and with it what was kept for it. */
		sampler_disable(&sampler);
		sampler_enable(&sampler);
		sampler_drain(&sampler, see, &self->seen);
		sampler_close(&sampler);
		close(fds[0]);
		close(fds[1]);
	}
	EXPECT_EQ(0, self->seen.torn);
}

TEST_F(life, a_disabled_event_takes_no_sample)
{
	UNTIL(self->seen.filled >= 50) {
		struct sampler sampler;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		for (int i = 0; i < 20; i++) {
			work(2000);
			EXPECT_EQ(0, sampler_drain(&sampler, NULL, NULL));
			sampler_enable(&sampler);
			work(5000);
			sampler_disable(&sampler);
			sampler_drain(&sampler, see, &self->seen);
		}
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, self->seen.torn);
}

TEST_F(life, prctl_stops_all_events_and_starts_them)
{
	UNTIL(self->seen.filled >= 50) {
		struct sampler sampler;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		for (int i = 0; i < 20; i++) {
			ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0,
					   0));
			sampler_drain(&sampler, see, &self->seen);
			work(2000);
			EXPECT_EQ(0, sampler_drain(&sampler, NULL, NULL));
			ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE, 0, 0, 0,
					   0));
			work(5000);
		}
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, self->seen.torn);
}

/* As many samples as it is told, and then no more. */
TEST_F(life, a_refreshed_event_takes_so_many_samples)
{
	unsigned int taken = 0;

	self->attr.freq = 0;
	self->attr.sample_period = 200000;
	signal(SIGIO, SIG_IGN);
	UNTIL(taken == 5) {
		struct sampler sampler;

		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		ASSERT_EQ(0, ioctl(sampler.fd, PERF_EVENT_IOC_REFRESH, 5));
		for (int i = 0; i < 50; i++)
			work(5000);
		taken = sampler_drain(&sampler, see, &self->seen);
		EXPECT_GE(5, taken);
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, self->seen.torn);
}

TEST_F(life, two_events_write_into_one_ring)
{
	UNTIL(self->seen.filled >= 100) {
		struct perf_event_attr attr = self->attr;
		struct sampler sampler;
		int other;

		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, -1));
		other = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		ASSERT_LE(0, other);
		ASSERT_EQ(0, ioctl(other, PERF_EVENT_IOC_SET_OUTPUT,
				   sampler.fd));
		ASSERT_EQ(0, ioctl(other, PERF_EVENT_IOC_ENABLE, 0));
		sampler_enable(&sampler);
		for (int i = 0; i < 50; i++) {
			work(2000);
			sampler_drain(&sampler, see, &self->seen);
		}
		close(other);
		sampler_close(&sampler);
	}
	EXPECT_EQ(0, self->seen.torn);
}

/* How often the module is in use; -1: it cannot go. */
static int uses(void)
{
	FILE *file = fopen("/sys/module/ssctr/refcnt", "r");
	int nr = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &nr) != 1)
		nr = -1;
	fclose(file);
	return nr;
}

/* Such an event has the bit that perf refuses without the module: at each fork, too. */
TEST_F(life, an_event_that_only_counts_keeps_the_module)
{
	const int before = uses();
	struct sampler sampler;
	pid_t child;

	if (before < 0)
		SKIP(return, "the module cannot be unloaded");
	self->attr.freq = 0;
	self->attr.sample_period = 0;
	self->attr.inherit = 1;
	ASSERT_EQ(0, sampler_open(&sampler, &self->attr, 0, 0));
	EXPECT_EQ(before + 1, uses());
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(uses() != before + 1);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	EXPECT_EQ(before + 1, uses());
	sampler_close(&sampler);
	EXPECT_EQ(before, uses());
}

TEST_HARNESS_MAIN
