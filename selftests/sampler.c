// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sampler.h"

/* Pages of a ring, less the first one, which describes it. */
#define RING_PAGES 64

struct perf_event_attr sampler_attr(uint64_t branch_sample_type)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = 2000,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = branch_sample_type,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
}

static size_t ring_size(void)
{
	return (1 + RING_PAGES) * sysconf(_SC_PAGESIZE);
}

int sampler_open_in(struct sampler *sampler, const struct perf_event_attr *attr,
		    pid_t pid, int cpu, int leader)
{
	int err;

	*sampler = (struct sampler){
		.stacks = attr->sample_type & PERF_SAMPLE_BRANCH_STACK,
		.has_index = attr->branch_sample_type &
			     PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	sampler->fd = syscall(SYS_perf_event_open, attr, pid, cpu,
			      leader, PERF_FLAG_FD_CLOEXEC);
	if (sampler->fd < 0)
		return -errno;
	if (attr->inherit && cpu < 0)
		return 0;
	/* A ring that is written backward is looked at, not emptied. */
	sampler->ring = mmap(NULL, ring_size(),
			     PROT_READ | (attr->write_backward ? 0 : PROT_WRITE),
			     MAP_SHARED, sampler->fd, 0);
	if (sampler->ring == MAP_FAILED) {
		err = -errno;
		sampler->ring = NULL;
		sampler_close(sampler);
		return err;
	}
	return 0;
}

int sampler_open(struct sampler *sampler, const struct perf_event_attr *attr,
		 pid_t pid, int cpu)
{
	return sampler_open_in(sampler, attr, pid, cpu, -1);
}

void sampler_close(struct sampler *sampler)
{
	if (sampler->ring)
		munmap(sampler->ring, ring_size());
	close(sampler->fd);
	sampler->ring = NULL;
	sampler->fd = -1;
}

void sampler_enable(struct sampler *sampler)
{
	ioctl(sampler->fd, PERF_EVENT_IOC_ENABLE, 0);
}

void sampler_disable(struct sampler *sampler)
{
	ioctl(sampler->fd, PERF_EVENT_IOC_DISABLE, 0);
}

static const char *take(const char *at, void *value, size_t size)
{
	memcpy(value, at, size);
	return at + size;
}

static void see_sample(const struct sampler *sampler, const char *record,
		       see_t *see, void *data)
{
	struct perf_event_header header;
	struct sample sample = {};
	const char *at;

	at = take(record, &header, sizeof(header));
	sample.user = (header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_USER;
	at = take(at, &sample.ip, 8);
	at = take(at, &sample.pid, 4);
	at = take(at, &sample.tid, 4);
	at = take(at, &sample.time, 8);
	at = take(at, &sample.cpu, 4) + 4;
	if (sampler->stacks) {
		at = take(at, &sample.nr, 8);
		if (sampler->has_index)
			at = take(at, &sample.index, 8);
	}
	sample.entries = (const void *)at;
	sample.whole = at + sample.nr * sizeof(*sample.entries) ==
		       record + header.size;
	sample.there = sample.nr;
	sample.end = record + header.size;
	/* What cannot be trusted is not looked at. */
	if (!sample.whole)
		sample.nr = 0;
	see(&sample, data);
}

unsigned int sampler_drain(struct sampler *sampler, see_t *see, void *data)
{
	struct perf_event_mmap_page *ring = sampler->ring;
	const char *base = (const char *)ring + ring->data_offset;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = ring->data_size, tail = ring->data_tail;
	static char record[1 << 16];
	unsigned int nr = 0;

	while (tail < head) {
		struct perf_event_header header;
		uint64_t at = tail % size, lost;
		size_t left = size - at;

		/* A record may wrap at the ring's end, but no header does. */
		memcpy(&header, base + at, sizeof(header));
		if (left > header.size)
			left = header.size;
		memcpy(record, base + at, left);
		memcpy(record + left, base, header.size - left);
		switch (header.type) {
		case PERF_RECORD_SAMPLE:
			if (see)
				see_sample(sampler, record, see, data);
			nr++;
			break;
		case PERF_RECORD_LOST:
			take(record + sizeof(header) + 8, &lost, 8);
			sampler->lost += lost;
			break;
		case PERF_RECORD_THROTTLE:
			sampler->throttled++;
			break;
		}
		tail += header.size;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
	return nr;
}

int sampler_pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

static long nr_sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/* On a machine that stands still for a moment, the time is over before the task sleeps. */
void sampler_sleep(void)
{
	long before = nr_sleeps();

	do
		usleep(1000);
	while (nr_sleeps() == before);
}

/* This task's own running time, in milliseconds. */
static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* Of the task's own running time, in milliseconds. */
#define PATIENCE	20
#define TOO_LONG	100000

static int record(struct sampler *samplers,
		  struct sampler_recording *recordings, unsigned int nr,
		  unsigned int least, void (*work)(void))
{
	uint64_t last[nr], napped = now();
	unsigned int waiting;

	for (unsigned int i = 0; i < nr; i++)
		last[i] = napped;
	do {
		bool nap = false;

		work();
		waiting = 0;
		for (unsigned int i = 0; i < nr; i++) {
			struct sampler_recording *r = &recordings[i];
			unsigned int got;

			got = sampler_drain(&samplers[i], r->see, r->data);
			r->samples += got;
			if (got)
				last[i] = now();
			if (r->samples >= least)
				continue;
			waiting++;
			if (now() - last[i] > TOO_LONG)
				return -ETIME;
			nap |= now() - last[i] > PATIENCE;
		}
		if (nap && now() - napped > PATIENCE) {
			usleep(1);
			napped = now();
		}
	} while (waiting);
	return 0;
}

int sampler_record(struct sampler_recording *recordings, unsigned int nr,
		   unsigned int least, void (*work)(void))
{
	struct sampler samplers[nr];
	unsigned int opened;
	int err;

	for (opened = 0; opened < nr; opened++) {
		err = sampler_open(&samplers[opened], &recordings[opened].attr,
				   0, -1);
		if (err)
			goto close;
	}
	for (unsigned int i = 0; i < nr; i++)
		sampler_enable(&samplers[i]);
	err = record(samplers, recordings, nr, least, work);
	for (unsigned int i = 0; i < nr; i++)
		sampler_disable(&samplers[i]);
close:
	while (opened--)
		sampler_close(&samplers[opened]);
	return err;
}
