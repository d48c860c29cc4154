// SPDX-License-Identifier: GPL-2.0-only
/*
 * Much of everything at once, and at random. What is promised is that the kernel
 * lives, gives its memory back, and records as before.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "caps.h"
#include "harness.h"
#include "sampler.h"
#include "transfer.h"
#include "work.h"

#define U	PERF_SAMPLE_BRANCH_USER
#define K	PERF_SAMPLE_BRANCH_KERNEL
#define ANY	PERF_SAMPLE_BRANCH_ANY

/* The kernel's taints that speak of a fault: bad page, oops, warning, lockup. */
#define FAULTS	(1 << 5 | 1 << 7 | 1 << 9 | 1 << 14)
#define TAINTED	"/proc/sys/kernel/tainted"

/* This program, executed to end at once. */
__attribute__((constructor)) static void end_at_once(void)
{
	if (getenv("SSCTR_END"))
		_exit(0);
}

static void see(const struct sample *sample, void *data)
{
	uint64_t *torn = data;

	*torn += !sample->whole ||
		 (sample->user && sample->nr &&
		  !straight(sample->entries[0].to, sample->ip));
}

static void some_work(void)
{
	work(2000);
}

/* The number in the first line of @path that is of @form; 0 if there is none. */
static uint64_t number_in(const char *path, const char *form)
{
	FILE *file = fopen(path, "r");
	uint64_t number = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, form, &number) == 1)
			break;
	if (file)
		fclose(file);
	return number;
}

/* KiB that the kernel holds and cannot give back. */
static uint64_t unreclaimable(void)
{
	return number_in("/proc/meminfo", "SUnreclaim: %lu");
}

/*
 * Ask each cache for what it only holds back: empty slabs and, on a kernel with KASAN,
 * freed objects, which stay for a while so that a late access is seen (1/32 of the memory).
 */
static void shrink_caches(void)
{
	glob_t found;

	if (glob("/sys/kernel/slab/*/shrink", 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_WRONLY);

		if (fd < 0 || write(fd, "1", 1) != 1)
			perror(found.gl_pathv[i]);
		close(fd);
	}
	globfree(&found);
}

/* Are there fewer than @most KiB, when RCU has freed what was given back? */
static bool leaves_below(uint64_t most)
{
	for (int i = 0; i < 1000 && unreclaimable() >= most; i++) {
		usleep(100000);
		shrink_caches();
	}
	return unreclaimable() < most;
}

/* Tasks whose records are kept, or 0 where debugfs is not mounted. */
static uint64_t tracked(void)
{
	return number_in("/sys/kernel/debug/ssctr/state", "tasks %lu");
}

/* Tasks that live and have user code. */
static uint64_t living(void)
{
	uint64_t nr = 0;
	glob_t found;

	if (glob("/proc/[0-9]*/task/[0-9]*/cmdline", 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_RDONLY);
		char byte;

		nr += fd >= 0 && read(fd, &byte, 1) == 1;
		close(fd);
	}
	globfree(&found);
	return nr;
}

FIXTURE(storm)
{
	uint64_t tainted;
};

FIXTURE_SETUP(storm)
{
	ASSERT_TRUE(read_number(TAINTED, &self->tainted));
}

FIXTURE_TEARDOWN(storm)
{
	struct sampler_recording recording = {
		.attr = sampler_attr(U | ANY),
		.see = see,
	};
	uint64_t tainted, torn = 0;

	/* After all this it works. */
	recording.data = &torn;
	EXPECT_EQ(0, sampler_record(&recording, 1, 50, some_work));
	EXPECT_EQ(0, torn);
	ASSERT_TRUE(read_number(TAINTED, &tainted));
	EXPECT_EQ(self->tainted & FAULTS, tainted & FAULTS);
}

static void *thread(void *data)
{
	(void)data;
	work(20);
	return NULL;
}

/* A child that has a thread and a child, and becomes another program. */
static void one_life(void)
{
	static char *const env[] = { "SSCTR_END=1", NULL };
	static char *const args[] = { "storm", NULL };
	pthread_t id;

	if (!pthread_create(&id, NULL, thread, NULL))
		pthread_join(id, NULL);
	if (!fork()) {
		work(20);
		execve("/proc/self/exe", args, env);
	}
	work(20);
	execve("/proc/self/exe", args, env);
	_exit(1);
}

/* With a number that is another's: after perf gave the child its events. */
TEST_F(storm, a_fork_that_fails_leaves_no_store)
{
	pid_t taken = getpid();
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&taken,
		.set_tid_size = 1,
	};
	struct perf_event_attr attr = sampler_attr(U | ANY);
	struct sampler sampler;
	uint64_t before;

	attr.inherit = 1;
	ASSERT_EQ(0, sampler_open(&sampler, &attr, 0, 0));
	sampler_enable(&sampler);
	before = tracked();
	if (!before)
		SKIP(return, "debugfs does not tell how many stores there are");
	for (int i = 0; i < 200; i++) {
		ASSERT_EQ(-1, syscall(SYS_clone3, &args, sizeof(args)));
		ASSERT_EQ(EEXIST, errno);
	}
	/* Those of tasks of before may go. */
	EXPECT_GE(before, tracked());
	sampler_close(&sampler);
}

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static bool set_paranoid(int level)
{
	FILE *file = fopen(PARANOID, "w");

	return file && fprintf(file, "%d\n", level) > 0 && !fclose(file);
}

/*
 * The events of others' tasks are refused when all else about them is done, unless all
 * events are refused at once.
 */
TEST_F(storm, who_may_not_open_an_event_takes_no_store)
{
	const int paranoid = number_in(PARANOID, "%lu");
	struct perf_event_attr attr = sampler_attr(U | ANY);
	struct sampler sampler, refused;
	pid_t others[20], child;
	uint64_t before;
	int status;

	ASSERT_TRUE(set_paranoid(2));
	ASSERT_EQ(0, sampler_open(&sampler, &attr, 0, 0));
	sampler_enable(&sampler);
	before = tracked();
	if (!before)
		SKIP(return, "debugfs does not tell how many stores there are");
	for (int i = 0; i < 20; i++) {
		others[i] = fork();
		ASSERT_LE(0, others[i]);
		if (!others[i])
			for (;;)
				pause();
	}
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (setresuid(65534, 65534, 65534))
			_exit(1);
		for (int i = 0; i < 20; i++)
			if (sampler_open(&refused, &attr, others[i], -1) != -EACCES)
				_exit(1);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	/* Those of tasks of before may go. */
	EXPECT_GE(before, tracked());
	for (int i = 0; i < 20; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	EXPECT_TRUE(set_paranoid(paranoid));
	sampler_close(&sampler);
}

TEST_F(storm, forks_and_execs)
{
	uint64_t lives = ask("SSCTR_ROUNDS", 10) * 4, before = 0;
	struct perf_event_attr attr = sampler_attr(U | ANY);
	struct sampler inherited[4], of_cpu[4];
	int cpus = nr_cpus() < 4 ? nr_cpus() : 4;

	/* Whoever is left by its parent comes to us. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (int i = 0; i < cpus; i++) {
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
		attr.inherit = 1;
		ASSERT_EQ(0, sampler_open(&inherited[i], &attr, 0, i));
		sampler_enable(&inherited[i]);
		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
		attr.inherit = 0;
		ASSERT_EQ(0, sampler_open(&of_cpu[i], &attr, -1, i));
		sampler_enable(&of_cpu[i]);
	}
	for (uint64_t i = 0; i < lives; i++) {
		if (i == lives / 2) {
			shrink_caches();
			before = unreclaimable();
		}
		/* A few at once. */
		for (int j = 0; j < 4; j++)
			if (!fork())
				one_life();
		while (waitpid(-1, NULL, 0) > 0)
			;
		for (int j = 0; j < cpus; j++) {
			sampler_drain(&inherited[j], NULL, NULL);
			sampler_drain(&of_cpu[j], NULL, NULL);
		}
	}
	/* Who is dead is forgotten in the end, though the events are not. */
	for (int i = 0; tracked() > living() && i < 6000; i++)
		usleep(100000);
	EXPECT_GE(living(), tracked());
	for (int i = 0; i < cpus; i++) {
		sampler_close(&inherited[i]);
		sampler_close(&of_cpu[i]);
	}
	/*
	 * In half of the lives; a task's records alone are 6 KiB. The kernel's own
	 * ways with memory hide the leak of a few rounds, not that of many.
	 */
	EXPECT_TRUE(leaves_below(before + 8192 + lives));
	TH_LOG("%lu KiB, then %lu", before, unreclaimable());
}

#define MAX_OPEN	24

struct open_event {
	int fd;
	void *ring;
	size_t size;
};

static uint64_t any_of(uint64_t *state, const uint64_t *values, unsigned int nr)
{
	return values[random_next(state) % nr];
}

static bool one_in(uint64_t *state, unsigned int nr)
{
	return (random_next(state) >> 32) % nr == 0;
}

/* Mostly reasonable, so that most of it is served, and all of it possible. */
static struct perf_event_attr random_attr(uint64_t *state)
{
	static const uint64_t types[] = { PERF_TYPE_HW_CACHE, PERF_TYPE_RAW,
					  PERF_TYPE_SOFTWARE };
	static const uint64_t periods[] = { 20000, 100000, 1000000, 1ull << 40 };
	static const uint64_t freqs[] = { 1, 100, 1000, 5000 };
	static const uint64_t filters[] = {
		ANY, ANY, PERF_SAMPLE_BRANCH_ANY_CALL,
		PERF_SAMPLE_BRANCH_ANY_RETURN, PERF_SAMPLE_BRANCH_IND_CALL,
		PERF_SAMPLE_BRANCH_COND, PERF_SAMPLE_BRANCH_IND_JUMP,
		PERF_SAMPLE_BRANCH_CALL, PERF_SAMPLE_BRANCH_CALL_STACK | U,
	};
	uint64_t flags = random_next(state);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = random_next(state) % 2,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.disabled = flags & 1,
		.inherit = flags >> 1 & 1,
		.exclude_kernel = flags >> 2 & 1,
		.exclude_hv = flags >> 3 & 1,
		.exclude_idle = flags >> 4 & 1,
		.mmap = flags >> 5 & 1,
		.comm = flags >> 6 & 1,
		.freq = flags >> 7 & 1,
		.enable_on_exec = flags >> 8 & 1,
		.task = flags >> 9 & 1,
		.watermark = flags >> 10 & 1,
		.sample_id_all = flags >> 11 & 1,
		.exclude_guest = flags >> 12 & 1,
		.exclude_callchain_kernel = flags >> 13 & 1,
		.context_switch = flags >> 14 & 1,
		.exclude_user = one_in(state, 8),
		.inherit_stat = one_in(state, 16),
		.precise_ip = one_in(state, 16),
		.use_clockid = one_in(state, 16),
		.write_backward = one_in(state, 4),
		.pinned = one_in(state, 8),
		.exclusive = one_in(state, 8),
		.sample_stack_user = 1024,
		.sample_regs_user = 0xffff,
		.sample_regs_intr = 0xffff,
	};

	if (one_in(state, 8)) {
		attr.type = any_of(state, types, 3);
		attr.config = random_next(state) & 0x01020f;
	}
	if (one_in(state, 16))
		attr.config = random_next(state);
	if (one_in(state, 8))
		attr.sample_type = 0;
	attr.sample_type |= random_next(state) & random_next(state) & 0xfffff;
	attr.branch_sample_type = any_of(state, filters, 9);
	if (one_in(state, 2))
		attr.branch_sample_type |= any_of(state, filters, 8);
	if (one_in(state, 2))
		attr.branch_sample_type |= random_next(state) % 8;
	if (one_in(state, 4))
		attr.branch_sample_type |= random_next(state) & 0x7c000;
	if (one_in(state, 8))
		attr.branch_sample_type = random_next(state) & 0xfffff;
	if (one_in(state, 16))
		attr.branch_sample_type = random_next(state);
	if (one_in(state, 2))
		attr.read_format = random_next(state) & 0x1f;
	if (one_in(state, 2))
		attr.sample_max_stack = random_next(state) % 128;
	if (attr.freq)
		attr.sample_freq = any_of(state, freqs, 4);
	else
		attr.sample_period = any_of(state, periods, 4);
	return attr;
}

static void drop(struct open_event *event)
{
	if (event->ring)
		munmap(event->ring, event->size);
	close(event->fd);
	*event = (struct open_event){ .fd = -1 };
}

/* What may be done to an event while it lives, by its owner. */
static void meddle(struct open_event *event, uint64_t *state)
{
	uint64_t period = 20000 + random_next(state) % 1000000, dummy[64];

	switch (random_next(state) % 8) {
	case 0:
		ioctl(event->fd, PERF_EVENT_IOC_ENABLE,
		      random_next(state) & PERF_IOC_FLAG_GROUP);
		break;
	case 1:
		ioctl(event->fd, PERF_EVENT_IOC_DISABLE,
		      random_next(state) & PERF_IOC_FLAG_GROUP);
		break;
	case 2:
		ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &period);
		break;
	case 3:
		ioctl(event->fd, PERF_EVENT_IOC_RESET, 0);
		break;
	case 4:
		ioctl(event->fd, PERF_EVENT_IOC_REFRESH,
		      1 + random_next(state) % 3);
		break;
	case 5:
		ioctl(event->fd, PERF_EVENT_IOC_PAUSE_OUTPUT,
		      random_next(state) & 1);
		break;
	case 6:
		if (read(event->fd, dummy, sizeof(dummy)) < 0)
			break;
		break;
	case 7:
		if (event->ring) {
			struct perf_event_mmap_page *ring = event->ring;

			__atomic_store_n(&ring->data_tail, ring->data_head,
					 __ATOMIC_RELEASE);
		}
		break;
	}
}

static pid_t start_subject(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			work(200);
			sched_yield();
			if (!fork()) {
				work(50);
				_exit(0);
			}
			wait(NULL);
		}
	}
	return child;
}

TEST_F(storm, attributes_at_random)
{
	uint64_t opens = ask("SSCTR_OPENS", 300), state = random_seed();
	struct open_event events[MAX_OPEN];
	unsigned int served = 0, branches = 0;
	uint64_t before = 0;
	pid_t subject;

	signal(SIGIO, SIG_IGN);
	subject = start_subject();
	for (int i = 0; i < MAX_OPEN; i++)
		events[i].fd = -1;
	for (uint64_t i = 0; i < opens; i++) {
		struct perf_event_attr attr = random_attr(&state);
		struct open_event *event = &events[random_next(&state) %
						   MAX_OPEN];
		int group = events[random_next(&state) % MAX_OPEN].fd;
		bool grouped = !(random_next(&state) & 7);
		pid_t pids[] = { 0, subject, -1 };
		pid_t pid = pids[random_next(&state) % 3];
		int cpu = random_next(&state) % nr_cpus();

		if (i == opens / 2) {
			shrink_caches();
			before = unreclaimable();
		}
		if (event->fd >= 0)
			drop(event);
		event->ring = NULL;
		if (pid >= 0 && random_next(&state) & 1)
			cpu = -1;
		event->fd = syscall(SYS_perf_event_open, &attr, pid, cpu,
				    grouped ? group : -1,
				    PERF_FLAG_FD_CLOEXEC);
		if (event->fd >= 0) {
			served++;
			branches += attr.sample_type &
				    PERF_SAMPLE_BRANCH_STACK ? 1 : 0;
			event->size = 4096ull << random_next(&state) % 5;
			event->size += 4096;
			event->ring = mmap(NULL, event->size,
					   PROT_READ | PROT_WRITE, MAP_SHARED,
					   event->fd, 0);
			if (event->ring == MAP_FAILED)
				event->ring = NULL;
		}
		for (int j = 0; j < 4; j++) {
			event = &events[random_next(&state) % MAX_OPEN];
			if (event->fd >= 0)
				meddle(event, &state);
		}
		work(random_next(&state) % 500);
		if (random_next(&state) & 1)
			usleep(random_next(&state) % 2000);
	}
	kill(subject, SIGKILL);
	waitpid(subject, NULL, 0);
	for (int i = 0; i < MAX_OPEN; i++)
		if (events[i].fd >= 0)
			drop(&events[i]);
	EXPECT_TRUE(leaves_below(before + 2048));
	TH_LOG("%u served, %u with branches; %lu KiB, then %lu", served,
	       branches, before, unreclaimable());
	EXPECT_LT(opens / 10, branches);
}

TEST_HARNESS_MAIN
