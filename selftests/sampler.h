/* SPDX-License-Identifier: GPL-2.0-only */
/* A perf event with branch stacks, and its samples one after another. */
#ifndef SELFTESTS_SAMPLER_H
#define SELFTESTS_SAMPLER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RING_PAGES 64

struct sampler {
	int fd;
	struct perf_event_mmap_page *ring;
};

struct sample {
	uint64_t ip;
	uint32_t pid, tid;
	bool user;		/* the interrupted mode */
	bool whole;		/* the record's size is that of its fields */
	uint64_t nr;		/* entries, newest first */
	const struct perf_branch_entry *entries;
};

/* A cycles event that samples IP, TID and the branches @branch_sample_type. */
struct perf_event_attr sampler_attr(uint64_t branch_sample_type);

/*
 * Open @attr for task @pid (0: this one, -1: all) on @cpu (-1: any). Returns
 * -errno when the kernel refuses. The ring is mapped; the event starts disabled.
 */
int sampler_open(struct sampler *sampler, const struct perf_event_attr *attr,
		 pid_t pid, int cpu);
void sampler_close(struct sampler *sampler);
void sampler_enable(struct sampler *sampler);
void sampler_disable(struct sampler *sampler);

/*
 * Call @see for every sample in the ring, which is empty then. Returns their
 * number. @see fails the test by itself.
 */
unsigned int sampler_drain(struct sampler *sampler,
			   void (*see)(const struct sample *sample, void *data),
			   void *data);

/*
 * Emulated counters lose their overflow interrupt at times, with or without the
 * module, and then an event takes no sample at all. Says so and returns true if
 * @samples are too few and there is a try left; *@tries counts them.
 */
bool sampler_try_again(unsigned int samples, unsigned int least,
		       unsigned int *tries);

/* Keep this task, or @pid, on one CPU. */
void sampler_pin(pid_t pid, int cpu);

#endif
