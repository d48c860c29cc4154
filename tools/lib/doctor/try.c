// SPDX-License-Identifier: GPL-2.0-only
/* Events, opened as `perf record` does, and what comes of them. */
#include "doctor/doctor.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	PERIOD = 100000,
	RING_PAGES = 16, /* of data */
	LEAST_PAGES = 2, /* room for the longest of samples */
	/* Emulated counters lose their overflow interrupt at times: begin again. */
	ROUNDS = 4,
	ROUND_MS = 500,
};

/*
 * On this CPU whatever runs there, or with cpu -1 of this process. Returns a file
 * descriptor, or -1.
 */
static int open_event(struct doctor_try *try, bool branches, bool kernel,
		      int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
	};
	int fd;

	if (branches) {
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	try->done = true;
	try->error = fd < 0 ? errno : 0;
	return fd;
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Transfers in user code. */
static void work(void)
{
	volatile unsigned int x = 1;
	unsigned int i;

	for (i = 0; i < 100000; i++)
		if (x & 1)
			x = x * 3 + 1;
		else
			x = x / 2;
}

/* Nothing is taken out of the ring, so that its records lie from its start. */
static void count_samples(struct doctor_try *try, const char *data,
			  uint64_t size, bool branches)
{
	struct perf_event_header head;
	uint64_t at, nr;

	try->samples = 0;
	for (at = 0; at + sizeof(head) <= size; at += head.size) {
		memcpy(&head, data + at, sizeof(head));
		if (head.size < sizeof(head) || at + head.size > size)
			break;
		if (head.type != PERF_RECORD_SAMPLE)
			continue;
		try->samples++;
		if (!branches || head.size < sizeof(head) + 2 * sizeof(nr))
			continue;
		memcpy(&nr, data + at + sizeof(head) + sizeof(nr), sizeof(nr));
		if (nr > try->entries)
			try->entries = (unsigned int)nr;
	}
}

/*
 * Writable: what does not fit is dropped, and nothing is overwritten. As recorders do,
 * with fewer pages where so many are not allowed. Returns the bytes, or 0.
 */
static size_t map_ring(struct doctor_try *try, int fd, void **ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t pages = RING_PAGES;

	do {
		*ring = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
		try->ring_error = *ring == MAP_FAILED ? errno : 0;
		if (!try->ring_error)
			return (1 + pages) * page;
		pages /= 2;
	} while (try->ring_error == EPERM && pages >= LEAST_PAGES);
	return 0;
}

/* One round: until there is what is waited for, or time is up. */
static void sample(struct doctor_try *try, int fd, bool branches)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *ring;
	long long end = now_ms() + ROUND_MS;
	uint64_t count;
	void *mapped;
	const size_t size = map_ring(try, fd, &mapped);

	if (!size)
		return;
	ring = mapped;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	do {
		work();
		count_samples(try, (char *)ring + page,
			      __atomic_load_n(&ring->data_head,
					      __ATOMIC_ACQUIRE),
			      branches);
	} while (!(branches ? try->entries : try->samples) && now_ms() < end);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	try->counts |= read(fd, &count, sizeof(count)) == sizeof(count) && count;
	munmap(ring, size);
}

static void try_sampling(struct doctor_try *try, bool branches)
{
	const unsigned int *got = branches ? &try->entries : &try->samples;
	unsigned int round;

	for (round = 0; round < ROUNDS && !try->ring_error && !*got; round++) {
		int fd = open_event(try, branches, false, -1);

		if (fd < 0)
			return;
		sample(try, fd, branches);
		close(fd);
	}
}

static void try_opening(struct doctor_try *try, int cpu)
{
	int fd = open_event(try, true, true, cpu);

	if (fd >= 0)
		close(fd);
}

/* Has the process events open? */
static bool has_events(long pid)
{
	const struct dirent *entry;
	bool found = false;
	char target[64];
	ssize_t len;
	DIR *dir;

	snprintf(target, sizeof(target), "/proc/%ld/fd", pid);
	dir = opendir(target);
	while (dir && !found && (entry = readdir(dir))) {
		len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = 0;
		found = !strcmp(target, "anon_inode:[perf_event]");
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Add it to the list, if there is room for it. */
static void add_process(char *text, size_t size, long pid)
{
	const size_t len = strlen(text);
	char name[32];

	if (!file_line(name, sizeof(name), "/proc/%ld/comm", pid))
		strcpy(name, "a program");
	if (snprintf(text + len, size - len, "%s%s (process %ld)", len ? ", " : "", name, pid) >=
	    (int)(size - len))
		text[len] = 0;
}

static void find_others(char *text, size_t size)
{
	const struct dirent *entry;
	DIR *dir = opendir("/proc");
	long pid;

	while (dir && (entry = readdir(dir))) {
		pid = strtol(entry->d_name, NULL, 10);
		if (pid > 0 && pid != getpid() && has_events(pid))
			add_process(text, size, pid);
	}
	if (dir)
		closedir(dir);
}

static unsigned int cpu_to_try(const struct doctor_facts *facts)
{
	size_t i;

	for (i = 0; i < facts->n_cpus; i++)
		if (doctor_records(&facts->cpus[i]))
			return facts->cpus[i].cpu;
	return facts->n_cpus ? facts->cpus[0].cpu : 0;
}

void doctor_try(struct doctor_tries *tries, const struct doctor_facts *facts)
{
	const unsigned int cpu = cpu_to_try(facts);
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < CPU_SETSIZE)
		CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	*tries = (struct doctor_tries){ 0 };
	try_sampling(&tries->plain, false);
	try_sampling(&tries->branches, true);
	try_opening(&tries->kernel, -1);
	try_opening(&tries->system, (int)cpu);
	if (!tries->plain.error && !tries->plain.samples && !tries->plain.counts)
		find_others(tries->others, sizeof(tries->others));
}
