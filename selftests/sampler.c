// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampler.h"
#include "test.h"

struct perf_event_attr sampler_attr(uint64_t branch_sample_type)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = 2000,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = branch_sample_type,
		.disabled = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
}

int sampler_open(struct sampler *sampler, const struct perf_event_attr *attr,
		 pid_t pid, int cpu)
{
	size_t size = (1 + RING_PAGES) * sysconf(_SC_PAGESIZE);

	*sampler = (struct sampler){ .fd = -1 };
	sampler->fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);
	if (sampler->fd < 0)
		return -errno;
	if (attr->inherit && cpu < 0)
		return 0; /* the kernel maps no ring for these */
	sampler->ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			     sampler->fd, 0);
	CHECK(sampler->ring != MAP_FAILED);
	return 0;
}

void sampler_close(struct sampler *sampler)
{
	if (sampler->ring)
		munmap(sampler->ring,
		       (1 + RING_PAGES) * sysconf(_SC_PAGESIZE));
	close(sampler->fd);
}

void sampler_enable(struct sampler *sampler)
{
	CHECK_EQ(ioctl(sampler->fd, PERF_EVENT_IOC_ENABLE, 0), 0);
}

void sampler_disable(struct sampler *sampler)
{
	CHECK_EQ(ioctl(sampler->fd, PERF_EVENT_IOC_DISABLE, 0), 0);
}

bool sampler_try_again(unsigned int samples, unsigned int least,
		       unsigned int *tries)
{
	if (samples >= least || ++*tries == 4)
		return false;
	printf("# %u samples: once more\n", samples);
	return true;
}

void sampler_pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK_EQ(sched_setaffinity(pid, sizeof(set), &set), 0);
}

/* Header, ip, pid and tid, the number of entries; then the entries. */
#define FIXED_SIZE (sizeof(struct perf_event_header) + 24)

static void see_sample(const char *record,
		       void (*see)(const struct sample *sample, void *data),
		       void *data)
{
	const struct perf_event_header *header = (const void *)record;
	struct sample sample = {
		.user = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			PERF_RECORD_MISC_USER,
		.entries = (const void *)(record + FIXED_SIZE),
	};

	memcpy(&sample.ip, record + 8, 8);
	memcpy(&sample.pid, record + 16, 4);
	memcpy(&sample.tid, record + 20, 4);
	memcpy(&sample.nr, record + 24, 8);
	sample.whole = header->size ==
		       FIXED_SIZE + sample.nr * sizeof(*sample.entries);
	CHECK(FIXED_SIZE + sample.nr * sizeof(*sample.entries) <= 65536);
	see(&sample, data);
}

unsigned int sampler_drain(struct sampler *sampler,
			   void (*see)(const struct sample *sample, void *data),
			   void *data)
{
	struct perf_event_mmap_page *ring = sampler->ring;
	const char *base = (const char *)ring + ring->data_offset;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = ring->data_size, tail = ring->data_tail;
	unsigned int nr = 0;
	static char record[1 << 16];

	while (tail < head) {
		struct perf_event_header header;
		uint64_t at = tail % size;
		size_t left = size - at;

		/* A record may wrap at the ring's end, but no header does. */
		memcpy(&header, base + at, sizeof(header));
		if (left > header.size)
			left = header.size;
		memcpy(record, base + at, left);
		memcpy(record + left, base, header.size - left);
		if (header.type == PERF_RECORD_SAMPLE) {
			see_sample(record, see, data);
			nr++;
		}
		tail += header.size;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
	return nr;
}
