/* SPDX-License-Identifier: GPL-2.0-only */
/* A perf event with branch stacks, and its samples one after another. */
#ifndef SELFTESTS_SAMPLER_H
#define SELFTESTS_SAMPLER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sampler {
	int fd;
	struct perf_event_mmap_page *ring;
	bool stacks, has_index;	/* what a sample consists of */
	uint64_t lost;		/* records that found no room */
	unsigned int throttled;
};

struct sample {
	uint64_t ip, time;
	pid_t pid, tid;
	int cpu;
	bool user;		/* the interrupted mode */
	bool whole;		/* the record's size is that of its fields */
	uint64_t index;		/* hw_idx, where it was asked for */
	uint64_t nr;		/* entries, newest first; 0 if the sample is not whole */
	uint64_t there;		/* the same, in any case */
	const char *end;	/* of the record */
	const struct perf_branch_entry *entries;
};

typedef void see_t(const struct sample *sample, void *data);

/*
 * A cycles event that samples user code with @branch_sample_type, 2000 times a
 * second.
 */
struct perf_event_attr sampler_attr(uint64_t branch_sample_type);

/*
 * Open @attr for task @pid (0: this one, -1: all) on @cpu (-1: any). Returns 0 or
 * -errno. A ring is mapped where the kernel maps one: not for inherited events on
 * any CPU. The event starts as the attributes say.
 */
int sampler_open(struct sampler *sampler, const struct perf_event_attr *attr,
		 pid_t pid, int cpu);
/* The same, in the group of the event with the descriptor @leader; -1: in none. */
int sampler_open_in(struct sampler *sampler, const struct perf_event_attr *attr,
		    pid_t pid, int cpu, int leader);
void sampler_close(struct sampler *sampler);
void sampler_enable(struct sampler *sampler);
void sampler_disable(struct sampler *sampler);

/*
 * Call @see (may be NULL) for every sample in the ring, which is empty then.
 * Returns their number.
 */
unsigned int sampler_drain(struct sampler *sampler, see_t *see, void *data);

/* An event for sampler_record(), and who looks at its samples. */
struct sampler_recording {
	struct perf_event_attr attr;
	see_t *see;
	void *data;
	unsigned int samples;	/* taken */
};

/*
 * Record this task by all of @recordings at once while it calls @work, until each
 * has taken @least samples. An emulated counter runs ahead of the timer that is its
 * interrupt. If another event's interrupt stops and starts the counter in between,
 * the overflow is past, and no sample comes until a switch starts the counter anew:
 * a task that waits for one naps now and then. Returns 0, -errno of an event that
 * was refused, or -ETIME after 100 s of running without a sample.
 */
int sampler_record(struct sampler_recording *recordings, unsigned int nr,
		   unsigned int least, void (*work)(void));

/* Keep task @pid (0: this one) on one CPU. Returns 0 or -errno. */
int sampler_pin(pid_t pid, int cpu);

/* Let this task's turn on its CPU end. */
void sampler_sleep(void);

#endif
