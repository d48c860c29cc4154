// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings and what was there before, on this machine: with an event of the kernel's
 * own, as the machine that builds has no branch records.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf-build.h"
#include "perfdata/perfdata.h"
#include "perfdata/writer.h"
#include "recorder/event.h"
#include "recorder/mapped.h"
#include "recorder/rings.h"
#include "recorder/tasks.h"
#include "test.h"

static struct error error;

static struct perf_event_attr faults = {
	.size = sizeof(faults),
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_PAGE_FAULTS,
	.sample_period = 1,
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		       PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_PERIOD | PERF_SAMPLE_ADDR,
	.read_format = PERF_FORMAT_ID | 1 << 4, /* PERF_FORMAT_LOST */
	.disabled = 1,
	.inherit = 1,
	.exclude_kernel = 1,
	.exclude_hv = 1,
	.sample_id_all = 1,
};

static struct rings *open_rings(unsigned int pages)
{
	const struct rings_event event = { &faults, false };
	pid_t self = getpid();
	const struct rings_target target = { .tids = &self, .nr_tids = 1 };
	struct rings *r;
	unsigned int failed;
	int ret;

	if (rings_missing())
		test_skip("there is no libperf");
	ret = rings_open(&r, &event, 1, &target, pages, &failed);
	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS)
		test_skip("this machine lets nobody open events");
	CHECK_EQ(ret, 0);
	return r;
}

/* So many page faults. */
static uint8_t *touch(unsigned int nr)
{
	uint8_t *p = mmap(NULL, nr * 4096ul, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	CHECK(p != MAP_FAILED);
	madvise(p, nr * 4096ul, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		p[i * 4096ul] = 1;
	return p;
}

static const char *path(void)
{
	static char full[256];

	snprintf(full, sizeof(full), "%s/perf.data", test_tmpdir());
	return full;
}

static struct pdw *start(struct rings *r)
{
	struct pdw *w = pdw_open(path(), &error);
	size_t nr;
	const uint64_t *ids = rings_ids(r, 0, &nr);

	CHECK(w);
	CHECK(nr >= 1);
	CHECK_EQ(pdw_add_event(w, &faults, "page-faults:u", ids, nr), 0);
	CHECK_EQ(pdw_start(w), 0);
	return w;
}

static uint64_t lost_samples(struct rings *r)
{
	struct rings_count *counts;
	uint64_t lost = 0;
	size_t i, nr;

	CHECK_EQ(rings_counts(r, 0, &counts, &nr), 0);
	CHECK(nr);
	for (i = 0; i < nr; i++)
		lost += counts[i].lost;
	free(counts);
	return lost;
}

static int write_records(void *arg, const void *p, size_t size)
{
	return pdw_write(arg, p, size);
}

/* How often each page was seen. All else may fault, too. */
static void count_pages(struct pd *pd, const uint8_t *p, uint8_t *seen,
			unsigned int nr)
{
	struct pd_event ev;
	int ret;

	while ((ret = pd_next(pd, &ev)) > 0) {
		uint64_t page = (ev.sample.addr - (uintptr_t)p) / 4096;

		if (ev.type == PERF_RECORD_SAMPLE &&
		    ev.sample.addr >= (uintptr_t)p && page < nr)
			seen[page]++;
	}
	CHECK_EQ(ret, 0);
}

TEST(each_record_is_handed_on_once)
{
	enum { ROUNDS = 40, PAGES = 100 };
	struct rings *r = open_rings(8);
	struct pdw *w = start(r);
	uint8_t *p[ROUNDS], seen[PAGES];
	unsigned int i, k;
	struct pd *pd;

	CHECK_EQ(rings_enable(r, 0), 0);
	/* Often enough for each ring to wrap, at records of odd places. */
	for (i = 0; i < ROUNDS; i++) {
		p[i] = touch(PAGES);
		CHECK_EQ(rings_drain(r, write_records, w), 0);
		CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_ROUND), 0);
	}
	rings_disable(r);
	CHECK_EQ(rings_drain(r, write_records, w), 0);
	CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_ROUND), 0);
	CHECK(rings_stats(r)->samples >= ROUNDS * PAGES);
	CHECK_EQ(rings_stats(r)->lost, 0);
	CHECK_EQ(lost_samples(r), 0);
	CHECK_EQ(pdw_close(w, true), 0);
	for (i = 0; i < ROUNDS; i++) {
		memset(seen, 0, sizeof(seen));
		CHECK_EQ(pd_open(&pd, path()), 0);
		count_pages(pd, p[i], seen, PAGES);
		CHECK_EQ(pd_stats(pd)->again, 0);
		CHECK_EQ(pd_stats(pd)->samples, rings_stats(r)->samples);
		pd_close(pd);
		for (k = 0; k < PAGES; k++)
			CHECK_EQ(seen[k], 1);
		munmap(p[i], PAGES * 4096ul);
	}
	rings_close(r);
}

/* The kernel numbers events as they are opened. */
TEST(events_are_opened_in_the_order_that_heirs_have_them_in)
{
	struct perf_event_attr of_threads = faults;
	const struct rings_event events[] = { { &faults, false }, { &of_threads, false } };
	const pid_t self = getpid();
	const struct rings_target target = { .tids = &self, .nr_tids = 1 };
	const uint64_t *first, *second;
	unsigned int failed;
	struct rings *r;
	size_t i, nr, as_many;

	rings_close(open_rings(1));
	of_threads.inherit_stat = 1;
	CHECK_EQ(rings_open(&r, events, 2, &target, 1, &failed), 0);
	first = rings_ids(r, 1, &nr);
	second = rings_ids(r, 0, &as_many);
	CHECK_EQ(nr, as_many);
	for (i = 0; i < nr; i++) {
		CHECK(first[i] < second[i]);
		CHECK(!i || second[i - 1] < first[i]);
	}
	rings_close(r);
}

enum { MANY = 20000 };

static void *touch_many(void *arg)
{
	uint8_t **p = arg;

	*p = touch(MANY);
	return NULL;
}

/* A thread that is followed writes while its ring is read. */
TEST(what_is_written_while_a_ring_is_read_is_not_passed_by)
{
	static uint8_t seen[MANY];
	struct rings *r = open_rings(128);
	struct pdw *w = start(r);
	unsigned int i, again = 0, missing = 0;
	pthread_t thread;
	struct pd *pd;
	uint8_t *p;

	CHECK_EQ(rings_enable(r, 0), 0);
	CHECK(!pthread_create(&thread, NULL, touch_many, &p));
	while (pthread_tryjoin_np(thread, NULL))
		CHECK_EQ(rings_drain(r, write_records, w), 0);
	rings_disable(r);
	CHECK_EQ(rings_drain(r, write_records, w), 0);
	CHECK_EQ(pdw_mark(w, PD_USER_FINISHED_ROUND), 0);
	CHECK_EQ(pdw_close(w, true), 0);
	memset(seen, 0, sizeof(seen));
	CHECK_EQ(pd_open(&pd, path()), 0);
	count_pages(pd, p, seen, MANY);
	pd_close(pd);
	for (i = 0; i < MANY; i++) {
		again += seen[i] > 1;
		missing += !seen[i];
	}
	CHECK_EQ(again, 0);
	/* A machine that is busy may not keep up; then the kernel says so. */
	CHECK(missing <= lost_samples(r));
	munmap(p, MANY * 4096ul);
	rings_close(r);
}

TEST(what_finds_a_ring_full_is_counted)
{
	struct rings *r = open_rings(1);
	struct pdw *w = start(r);
	uint8_t *p;

	CHECK_EQ(rings_enable(r, 0), 0);
	p = touch(1000);
	rings_disable(r);
	CHECK_EQ(rings_drain(r, write_records, w), 0);
	CHECK(lost_samples(r) > 500);
	CHECK(rings_stats(r)->samples + lost_samples(r) >= 1000);
	CHECK_EQ(pdw_close(w, false), 0);
	munmap(p, 1000 * 4096ul);
	rings_close(r);
}

TEST(a_writer_that_fails_ends_the_round)
{
	struct rings *r = open_rings(8);
	struct pdw *w = pdw_open("/dev/full", &error);
	uint8_t *p;

	CHECK(w);
	CHECK_EQ(rings_enable(r, 0), 0);
	p = touch(10);
	rings_disable(r);
	CHECK_EQ(rings_drain(r, write_records, w), ERROR_OUTPUT);
	CHECK_EQ(pdw_close(w, true), ERROR_OUTPUT);
	munmap(p, 10 * 4096ul);
	rings_close(r);
}

TEST(a_list_of_cpus_opens_those_alone)
{
	const struct rings_event event = { &faults, false };
	const struct rings_target target = { .cpus = "0" };
	struct rings *r;
	unsigned int failed;
	size_t nr;
	int ret;

	if (rings_missing())
		test_skip("there is no libperf");
	ret = rings_open(&r, &event, 1, &target, 1, &failed);
	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS)
		test_skip("only root opens events of a CPU");
	CHECK_EQ(ret, 0);
	rings_ids(r, 0, &nr);
	CHECK_EQ(nr, 1);
	rings_close(r);
	CHECK_EQ(rings_open(&r, &event, 1,
			    &(struct rings_target){ .cpus = "1999" }, 1,
			    &failed),
		 -ENODEV);
}

TEST(one_event_follows_a_thread_to_all_cpus)
{
	struct perf_event_attr alone = faults;
	const struct rings_event event = { &alone, false };
	pid_t self = getpid();
	const struct rings_target target = { .tids = &self, .nr_tids = 1, .any_cpu = true };
	struct rings *r;
	unsigned int failed;
	size_t nr;
	int ret, cpu = 0;

	alone.inherit = 0;
	if (rings_missing())
		test_skip("there is no libperf");
	ret = rings_open(&r, &event, 1, &target, 1, &failed);
	if (ret == -EACCES || ret == -EPERM || ret == -ENOSYS)
		test_skip("this machine lets nobody open events");
	CHECK_EQ(ret, 0);
	rings_ids(r, 0, &nr);
	CHECK_EQ(nr, 1);
	CHECK(rings_fd(r, 0, 0, &cpu) >= 0);
	CHECK_EQ(cpu, -1);
	CHECK_EQ(rings_fd(r, 0, 1, &cpu), -1);
	rings_close(r);
}

/* The time of a thread that runs all the while. */
TEST(all_events_of_a_thread_are_on_while_the_last_one_is)
{
	const uint64_t format = faults.read_format;
	struct rings_count *counts;
	uint64_t before = 0, ahead;
	struct rings *r;
	unsigned int i;
	size_t nr;

	faults.read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	r = open_rings(1);
	for (i = 0; i < 2000; i++) {
		CHECK_EQ(rings_enable(r, 0), 0);
		rings_disable(r);
		CHECK_EQ(rings_counts(r, 0, &counts, &nr), 0);
		ahead = counts[0].enabled - counts[nr - 1].enabled;
		free(counts);
		CHECK((int64_t)(ahead - before) >= 0);
		before = ahead;
	}
	rings_close(r);
	faults.read_format = format;
}

static void copy_file(const char *from, const char *to)
{
	char command[9000];

	snprintf(command, sizeof(command), "cp %s %s", from, to);
	CHECK_EQ(system(command), 0);
}

/* Write what this process has mapped, and return the mapping at an address. */
static struct pd_event mapping_at(const void *at, struct pd **pd)
{
	const uint64_t id = 5;
	struct pdw *w = pdw_open(path(), &error);
	struct rcd_files files = { 0 };
	struct rcd_past past = { .w = w, .error = &error, .trailer = 32, .files = &files };
	struct pd_event ev;

	CHECK(w);
	CHECK_EQ(pdw_add_event(w, &faults, "page-faults:u", &id, 1), 0);
	CHECK_EQ(pdw_start(w), 0);
	CHECK_EQ(rcd_write_process(&past, getpid()), 0);
	rcd_files_free(&files);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(pd_open(pd, path()), 0);
	while (pd_next(*pd, &ev) > 0)
		if (ev.type == PERF_RECORD_MMAP && ev.mmap.start == (uintptr_t)at)
			return ev;
	test_fail(__FILE__, __LINE__, "it is not there");
}

/* A program that runs while its package is upgraded: its path is that of the new one. */
TEST(the_build_id_is_that_of_what_is_mapped)
{
	char self[256], old[300];
	struct pd_event before, after;
	struct pd *first, *second;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct utsname kernel;
	unsigned int major, minor;
	void *map;
	int fd;

	uname(&kernel);
	CHECK_EQ(sscanf(kernel.release, "%u.%u", &major, &minor), 2);
	if (major < 6 || (major == 6 && minor < 11))
		test_skip("this kernel does not tell build ids of mappings");
	CHECK(n > 0);
	self[n] = 0;
	snprintf(old, sizeof(old), "%s/program", test_tmpdir());
	copy_file(self, old);
	fd = open(old, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	CHECK(fd >= 0 && map != MAP_FAILED);
	before = mapping_at(map, &first);
	CHECK_EQ(before.mmap.build_id_size, 20);
	unlink(old);
	copy_file("/bin/sh", old);
	after = mapping_at(map, &second);
	CHECK_EQ(after.mmap.build_id_size, 20);
	CHECK(!memcmp(before.mmap.build_id, after.mmap.build_id, 20));
	pd_close(first);
	pd_close(second);
	munmap(map, 4096);
	close(fd);
}

/* Where the kernel does not look: Go's linker writes it there. */
TEST(the_build_id_of_what_is_mapped_may_be_in_a_section_alone)
{
	char program[300];
	struct pd_event ev;
	struct pd *pd;
	void *map;
	int fd;

	snprintf(program, sizeof(program), "%s/go", test_tmpdir());
	CHECK(elfb_write_section_id(program, (const uint8_t[20]){ 1, 2, 3 }));
	fd = open(program, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	CHECK(fd >= 0 && map != MAP_FAILED);
	ev = mapping_at(map, &pd);
	CHECK_EQ(ev.mmap.build_id_size, 20);
	CHECK_EQ(ev.mmap.build_id[2], 3);
	pd_close(pd);
	munmap(map, 4096);
	close(fd);
}

/* The kernel writes both names alike. */
TEST(a_line_feed_in_a_name_is_told_from_its_escape)
{
	static const char *const names[] = { "a\nb\n", "a\\012b\\012" };
	struct pd_event ev;
	char program[300];
	unsigned int i;
	struct pd *pd;
	void *map;
	int fd;

	for (i = 0; i < 2; i++) {
		snprintf(program, sizeof(program), "%s/%s", test_tmpdir(), names[i]);
		CHECK(elfb_write_section_id(program, (const uint8_t[20]){ i }));
		fd = open(program, O_RDONLY | O_CLOEXEC);
		map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		CHECK(fd >= 0 && map != MAP_FAILED);
		ev = mapping_at(map, &pd);
		CHECK_STR(ev.mmap.name, program);
		pd_close(pd);
		/* No file tells it then. */
		unlink(program);
		ev = mapping_at(map, &pd);
		CHECK_STR(ev.mmap.name, strcat(program, " (deleted)"));
		pd_close(pd);
		munmap(map, 4096);
		close(fd);
	}
}

/* This very process, as if it had been recorded from its start. */
TEST(a_process_that_runs_is_written_with_its_code)
{
	const uint64_t id = 5;
	struct pdw *w = pdw_open(path(), &error);
	struct rcd_files files = { 0 };
	struct rcd_past past = { .w = w, .error = &error, .trailer = 32, .files = &files };
	bool comm = false, fork = false, code = false;
	char self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct pd_event ev;
	struct pd *pd;
	int ret;

	CHECK(w && n > 0);
	self[n] = 0;
	CHECK_EQ(pdw_add_event(w, &faults, "page-faults:u", &id, 1), 0);
	CHECK_EQ(pdw_start(w), 0);
	/* TID, TIME, CPU, IDENTIFIER. */
	CHECK_EQ(rcd_write_process(&past, getpid()), 0);
	rcd_files_free(&files);
	CHECK_EQ(pdw_close(w, true), 0);
	CHECK_EQ(pd_open(&pd, path()), 0);
	while ((ret = pd_next(pd, &ev)) > 0) {
		CHECK_EQ(ev.pid, getpid());
		if (ev.type == PERF_RECORD_COMM)
			comm |= !strncmp(ev.comm.name, strrchr(self, '/') + 1,
					 15);
		if (ev.type == PERF_RECORD_FORK)
			fork |= ev.task.keeps_no_maps &&
				ev.task.ppid == (uint32_t)getppid();
		if (ev.type == PERF_RECORD_MMAP)
			code |= !strcmp(ev.mmap.name, self) &&
				ev.mmap.prot & PROT_EXEC &&
				ev.mmap.build_id_size == 20 &&
				ev.mmap.start <= (uintptr_t)write_records &&
				ev.mmap.start + ev.mmap.len >
					(uintptr_t)write_records;
	}
	CHECK_EQ(ret, 0);
	CHECK(comm && fork && code);
	pd_close(pd);
}

TEST(a_process_that_is_not_there_is_told)
{
	struct rcd_pids tids = { 0 };

	CHECK_EQ(rcd_threads(&tids, 0x7ffffff0), -ESRCH);
	CHECK_EQ(rcd_process_of(0x7ffffff0), -1);
	CHECK_EQ(rcd_process_of(getpid()), getpid());
	CHECK_EQ(rcd_threads(&tids, getpid()), 0);
	CHECK_EQ(tids.nr, 1);
	CHECK_EQ(tids.v[0], getpid());
	free(tids.v);
}

TEST(each_process_is_kept_once_where_it_comes_first)
{
	static const pid_t named[] = { 7, 3, 7, 7, 5, 3 };
	struct rcd_pids pids = { 0 };
	size_t i;

	CHECK(rcd_each_pid_once(&pids));
	CHECK_EQ(pids.nr, 0);
	for (i = 0; i < sizeof(named) / sizeof(*named); i++)
		CHECK(rcd_add_pid(&pids, named[i]));
	CHECK(rcd_each_pid_once(&pids));
	CHECK_EQ(pids.nr, 3);
	CHECK_EQ(pids.v[0], 7);
	CHECK_EQ(pids.v[1], 3);
	CHECK_EQ(pids.v[2], 5);
	free(pids.v);
}

static void *wait_for_ever(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

/* As on a machine whose PIDs have been used up once: a thread has a number below its process's. */
static bool is_told_before_its_thread(void)
{
	struct rcd_pids tids = { 0 };
	pthread_t thread;

	return !pthread_create(&thread, NULL, wait_for_ever, NULL) &&
	       !rcd_threads(&tids, getpid()) && tids.nr == 2 && tids.v[1] < getpid() &&
	       tids.v[0] == getpid();
}

enum { TOLD, NOT_TOLD, NO_ROOT };

/* The next process or thread has the PID behind this one. */
static void go_on_behind(pid_t pid)
{
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (!last)
		_exit(NO_ROOT);
	fprintf(last, "%d", pid);
	if (fclose(last))
		_exit(NO_ROOT);
}

/* The exit status of a child that goes on in this function, which returns in the child. */
static int status_of_child(void)
{
	const pid_t pid = fork();
	int status;

	if (!pid)
		return -1;
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
		       WEXITSTATUS(status) : NOT_TOLD;
}

/* With PIDs of its own, as other tests count on it that none comes again soon. */
TEST(a_process_is_told_before_its_threads)
{
	int status = status_of_child();

	if (status < 0) {
		if (unshare(CLONE_NEWPID | CLONE_NEWNS))
			_exit(NO_ROOT);
		status = status_of_child();
		if (status >= 0)
			_exit(status);
		/* This is the first process there. */
		if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("proc", "/proc", "proc", 0, NULL))
			_exit(NO_ROOT);
		go_on_behind(200);
		status = status_of_child();
		if (status >= 0)
			_exit(status);
		go_on_behind(100);
		_exit(is_told_before_its_thread() ? TOLD : NOT_TOLD);
	}
	if (status == NO_ROOT)
		test_skip("only root says which PID is next");
	CHECK_EQ(status, TOLD);
}
