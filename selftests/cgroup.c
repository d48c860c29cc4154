// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of a cgroup: perf adds them in the midst of the switch to one of its tasks,
 * where the events of a task come with the task.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "harness.h"
#include "sampler.h"

#define U	PERF_SAMPLE_BRANCH_USER

/* No branch but its own, for as long as some samples take. */
static __attribute__((noinline)) void straight(void)
{
	for (int i = 0; i < 4; i++)
		asm volatile("	.rept	100000\n"
			     "	nop\n"
			     "	.endr\n" ::: "memory");
}

static volatile unsigned int marked;

static __attribute__((noinline)) void mark(void)
{
	marked++;
}

/* Wait at @fd, so many calls deep. */
static __attribute__((noinline)) void go_deep(int fd, unsigned int calls)
{
	if (!calls) {
		hear(fd);
		for (int i = 0; i < 100; i++)
			straight();
		return;
	}
	go_deep(fd, calls - 1);
	marked++;
}

FIXTURE(cgroup)
{
	char root[32], dir[64];
	int fd;			/* of the cgroup */
	int go[2], done[2];
	pid_t child;
	struct sampler sampler;
};

FIXTURE_SETUP(cgroup)
{
	self->fd = -1;
	strcpy(self->root, "/tmp/cgroup.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->root));
	if (mount("none", self->root, "cgroup", 0, "perf_event") &&
	    mount("none", self->root, "cgroup2", 0, NULL)) {
		rmdir(self->root);
		SKIP(return, "the kernel has no cgroups");
	}
	snprintf(self->dir, sizeof(self->dir), "%s/ssctr", self->root);
	ASSERT_EQ(0, mkdir(self->dir, 0755));
	self->fd = open(self->dir, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pipe(self->go));
	ASSERT_EQ(0, pipe(self->done));
	/* With the child, so that nobody is idle in between. */
	ASSERT_EQ(0, sampler_pin(0, 0));
}

FIXTURE_TEARDOWN(cgroup)
{
	if (self->fd < 0)
		return;
	close(self->fd);
	rmdir(self->dir);
	umount(self->root);
	rmdir(self->root);
}

/* The calling child becomes a task of the cgroup. */
static void enter(const char *dir)
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	file = fopen(path, "w");
	if (!file || fprintf(file, "%d\n", getpid()) < 0 || fclose(file))
		_exit(1);
}

static int open_event(struct sampler *sampler, int fd, uint64_t kind)
{
	struct perf_event_attr attr = sampler_attr(U | kind);

	attr.freq = 0;
	attr.sample_period = 300000;
	attr.disabled = 0;
	attr.sample_max_stack = 256;
	*sampler = (struct sampler){ .stacks = true };
	sampler->fd = syscall(SYS_perf_event_open, &attr, fd, 0, -1, PERF_FLAG_PID_CGROUP);
	if (sampler->fd < 0)
		return -errno;
	sampler->ring = mmap(NULL, 65 * getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED,
			     sampler->fd, 0);
	return sampler->ring == MAP_FAILED ? -errno : 0;
}

struct seen {
	uint64_t target;	/* which is looked for */
	unsigned int samples, shown;
};

static void see(const struct sample *sample, void *data)
{
	struct seen *seen = data;
	unsigned int shown = 0;

	for (uint64_t i = 0; i < sample->nr; i++)
		shown += sample->entries[i].to == seen->target;
	seen->samples++;
	seen->shown += !!shown;
}

/*
 * The child is recorded, and leaves the CPU to this task, which is not. What it did before
 * is to be there when it comes back.
 */
TEST_F(cgroup, a_task_has_its_records_after_one_that_has_no_events)
{
	struct seen seen = { .target = (uintptr_t)mark };

	self->child = fork();
	ASSERT_LE(0, self->child);
	if (!self->child) {
		enter(self->dir);
		for (;;) {
			say(self->done[1]);
			hear(self->go[0]);
			for (int i = 0; i < 8; i++)
				mark();
			say(self->done[1]);
			hear(self->go[0]);
			for (int i = 0; i < 10; i++)
				straight();
		}
	}
	hear(self->done[0]);
	ASSERT_EQ(0, open_event(&self->sampler, self->fd, PERF_SAMPLE_BRANCH_ANY));
	for (int i = 0; !seen.shown && i < 200; i++) {
		say(self->go[1]);
		hear(self->done[0]);
		/* Those that come next are of after it has come back. */
		sampler_drain(&self->sampler, NULL, NULL);
		say(self->go[1]);
		hear(self->done[0]);
		sampler_drain(&self->sampler, see, &seen);
	}
	kill(self->child, SIGKILL);
	ASSERT_EQ(self->child, waitpid(self->child, NULL, 0));
	sampler_close(&self->sampler);
	EXPECT_LT(0, seen.samples);
	EXPECT_LT(0, seen.shown);
}

/* The child's call stack is put back when it comes, before perf adds the cgroup's event. */
TEST_F(cgroup, calls_that_were_put_back_are_not_shown_as_a_log)
{
	struct seen seen = { .target = (uintptr_t)go_deep };
	struct perf_event_attr attr = sampler_attr(U | PERF_SAMPLE_BRANCH_CALL_STACK);
	struct sampler calls;

	attr.freq = 0;
	attr.sample_period = 1ull << 40;
	attr.disabled = 0;
	for (int i = 0; seen.samples < 20; i++) {
		ASSERT_GT(MANY, i);
		self->child = fork();
		ASSERT_LE(0, self->child);
		if (!self->child) {
			enter(self->dir);
			say(self->done[1]);
			hear(self->go[0]);
			say(self->done[1]);
			go_deep(self->go[0], 10);
			_exit(0);
		}
		hear(self->done[0]);
		ASSERT_EQ(0, sampler_open(&calls, &attr, self->child, -1));
		say(self->go[1]);
		hear(self->done[0]);
		ASSERT_TRUE(wait_asleep(self->child));
		ASSERT_EQ(0, open_event(&self->sampler, self->fd, PERF_SAMPLE_BRANCH_ANY));
		say(self->go[1]);
		ASSERT_EQ(self->child, waitpid(self->child, NULL, 0));
		sampler_drain(&self->sampler, see, &seen);
		sampler_close(&self->sampler);
		sampler_close(&calls);
	}
	EXPECT_EQ(0, seen.shown);
}

TEST_HARNESS_MAIN
