// SPDX-License-Identifier: GPL-2.0-only
/*
 * When windows begin and end, by samples that are made here. The event is one of the
 * kernel's own, as the machine that builds has no branch records.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder/pacer.h"
#include "test.h"

enum { PERIOD = 100, OTHER_PERIOD = 7777 };

static const struct windows windows = { .size = 250, .every = 100000 };
static struct perf_event_attr attr = {
	.size = sizeof(attr),
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS,
	.sample_period = 1000,
	.sample_type = PERF_SAMPLE_IDENTIFIER,
	.disabled = 1,
	.exclude_kernel = 1,
};
static struct rings *rings;
static struct pacers *pacers;
static uint64_t id;

/* By the man page of perf_event_open, for the sample type of the recorder. */
struct sample {
	struct perf_event_header header;
	uint64_t id, ip, tid, time, cpu, period;
};

/* With one event, of this thread. */
static void begin_at(const struct windows *w)
{
	const struct rings_event event = { &attr, false };
	const pid_t self = getpid();
	const struct rings_target target = { .tids = &self, .nr_tids = 1, .any_cpu = true };
	struct error error;
	unsigned int failed;
	int ret, cpu;

	if (rings_missing())
		test_skip("there is no libperf");
	ret = rings_open(&rings, &event, 1, &target, 1, &failed);
	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS)
		test_skip("this machine lets nobody open events");
	CHECK_EQ(ret, 0);
	CHECK_EQ(pacers_new(&pacers, rings, w, PERIOD, &error), 0);
	CHECK_EQ(ioctl(rings_fd(rings, 0, 0, &cpu), PERF_EVENT_IOC_ID, &id), 0);
}

static void begin(void)
{
	begin_at(&windows);
}

static void end(void)
{
	pacers_free(pacers);
	rings_close(rings);
}

static struct sample sample(uint64_t period)
{
	return (struct sample){ { PERF_RECORD_SAMPLE, 0, sizeof(struct sample) },
				.id = id, .period = period };
}

static void take(uint64_t period)
{
	const struct sample s = sample(period);

	pacers_take(pacers, &s);
}

TEST(what_begins_later_is_counted)
{
	const struct perf_event_header start = { PERF_RECORD_FORK, 0, sizeof(start) };
	const struct perf_event_header end_of_one = { PERF_RECORD_EXIT, 0, sizeof(end_of_one) };

	begin();
	CHECK_EQ(pacers_others(pacers), 0);
	pacers_take(pacers, &start);
	pacers_take(pacers, &end_of_one);
	pacers_take(pacers, &start);
	take(PERIOD);
	CHECK_EQ(pacers_others(pacers), 2);
	end();
}

TEST(a_window_begins_at_its_place_and_ends_with_its_last_sample)
{
	uint64_t left;

	begin();
	CHECK_EQ(pacers_patience(pacers), -1);
	take(OTHER_PERIOD);
	CHECK_EQ(pacers_begun(pacers), 1);
	for (left = windows_samples(&windows, PERIOD); left; left--) {
		CHECK(pacers_patience(pacers) > 0);
		take(PERIOD);
	}
	CHECK_EQ(pacers_patience(pacers), -1);
	/* Some come after the end. */
	take(PERIOD);
	CHECK_EQ(pacers_patience(pacers), -1);
	CHECK_EQ(pacers_begun(pacers), 1);
	take(OTHER_PERIOD);
	CHECK(pacers_patience(pacers) > 0);
	CHECK_EQ(pacers_begun(pacers), 2);
	end();
}

TEST(a_window_that_runs_does_not_begin)
{
	begin();
	take(OTHER_PERIOD);
	take(OTHER_PERIOD);
	CHECK_EQ(pacers_begun(pacers), 1);
	end();
}

/* A thread that sleeps wakes nobody up for nothing. */
TEST(patience_grows_until_a_sample_comes)
{
	begin();
	take(OTHER_PERIOD);
	take(PERIOD);
	CHECK_EQ(pacers_patience(pacers), 1);
	CHECK_EQ(pacers_patience(pacers), 2);
	CHECK_EQ(pacers_patience(pacers), 4);
	CHECK_EQ(pacers_patience(pacers), 8);
	CHECK_EQ(pacers_patience(pacers), 8);
	take(PERIOD);
	CHECK_EQ(pacers_patience(pacers), 1);
	CHECK_EQ(pacers_patience(pacers), 2);
	end();
}

TEST(other_records_begin_no_window)
{
	struct sample s;

	begin();
	s = sample(OTHER_PERIOD);
	s.id = ~id;
	pacers_take(pacers, &s);
	s = sample(OTHER_PERIOD);
	s.header.type = PERF_RECORD_MMAP2;
	pacers_take(pacers, &s);
	s = sample(OTHER_PERIOD);
	s.header.size -= 8;
	pacers_take(pacers, &s);
	CHECK_EQ(pacers_begun(pacers), 0);
	CHECK_EQ(pacers_patience(pacers), -1);
	end();
}

static int count_samples(void *arg, const void *records, size_t size)
{
	struct perf_event_header header;
	uint64_t *nr = arg;
	size_t at;

	for (at = 0; at < size; at += header.size) {
		memcpy(&header, (const uint8_t *)records + at, sizeof(header));
		*nr += header.type == PERF_RECORD_SAMPLE;
	}
	return 0;
}

static void touch(size_t pages)
{
	const size_t size = pages * 4096;
	volatile uint8_t *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	CHECK(p != MAP_FAILED && !madvise((void *)p, size, MADV_NOHUGEPAGE));
	for (i = 0; i < size; i += 4096)
		p[i] = 1;
	munmap((void *)p, size);
}

/* Otherwise, its sample would be taken for one of a window, and none would ever begin. */
TEST(the_period_that_leads_to_a_place_is_not_that_of_a_window)
{
	struct windows w = { .size = 250, .every = 500 };
	uint64_t count[3], samples = 0;
	int cpu;

	while (windows_place(&w, 0, 0) != PERIOD)
		w.seed++;
	begin_at(&w);
	CHECK_EQ(rings_enable(rings, 0), 0);
	touch(PERIOD * PERIOD + PERIOD / 2);
	rings_disable(rings);
	CHECK(read(rings_fd(rings, 0, 0, &cpu), count, sizeof(count)) > 0);
	CHECK_EQ(rings_drain(rings, count_samples, &samples), 0);
	CHECK(samples);
	CHECK_EQ(samples, *count / (PERIOD + 1));
	end();
}

static void one_window(void)
{
	uint64_t left;

	take(OTHER_PERIOD);
	for (left = windows_samples(&windows, PERIOD); left; left--)
		take(PERIOD);
}

TEST(intervals_that_pass_while_a_window_runs_are_counted)
{
	const struct windows w = { .size = 250, .every = 500 };
	uint64_t count[3];
	int cpu;

	begin_at(&w);
	one_window();
	CHECK_EQ(pacers_passed(pacers), 0);
	CHECK_EQ(rings_enable(rings, 0), 0);
	touch(4 * w.every);
	rings_disable(rings);
	CHECK(read(rings_fd(rings, 0, 0, &cpu), count, sizeof(count)) > 0);
	one_window();
	CHECK_EQ(pacers_passed(pacers), windows_next(&w, 0, *count) / w.every - 1);
	CHECK(pacers_passed(pacers) >= 3);
	/* The next one waits for its place. */
	one_window();
	CHECK_EQ(pacers_passed(pacers), windows_next(&w, 0, *count) / w.every - 1);
	end();
}
