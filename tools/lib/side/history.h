/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last traps of each thread, from side events. They are compared with the traps that
 * a sample's branch stack shows for the same time.
 */
#ifndef SIDE_HISTORY_H
#define SIDE_HISTORY_H

#include "side/side.h"

/*
 * The number of traps of each kind that are kept for a thread. No branch stack shows
 * more.
 */
enum { SIDE_HISTORY_DEPTH = 64 };

struct side_ring {
	unsigned int nr; /* how many there ever were; the newest is nr - 1 */
	uint64_t v[SIDE_HISTORY_DEPTH];
};

struct side_faults {
	unsigned int nr; /* how many there ever were; the newest is nr - 1 */
	unsigned int fresh; /* those since the thread's last sample */
	unsigned int cap; /* elements of v; it grows up to SIDE_HISTORY_DEPTH */
	struct side_fault *v;
};

struct side_thread {
	uint32_t tid;
	bool sampled; /* it has had a sample */
	bool in_syscall; /* the last event about system calls was a start */
	bool placed; /* whether it is in one: an event told, or a sample in user code */
	unsigned int generation;
	/* the last interrupt that is not the PMU's; 0: none */
	unsigned int cause;
	struct side_ring *syscalls; /* their numbers; NULL: none */
	/*
	 * How many of the newest have no other between them. Before an older one may be calls
	 * that no event told.
	 */
	unsigned int certain;
	/* those since the last sample, if all before it were told when it was taken */
	unsigned int fresh_syscalls;
	bool counted; /* fresh_syscalls is known */
	uint64_t missed; /* system calls that no event told */
	/*
	 * It is that of the recorder, which switches the events on and off one after the other:
	 * of its own calls in between, some have a start or an end alone.
	 */
	bool records;
	struct side_faults faults;
	struct rv_regs regs; /* the registers at the thread's last sample */
};

struct side_history;

/* Returns NULL if out of memory. */
struct side_history *side_history_new(void);
void side_history_free(struct side_history *history);

/*
 * Take the next side event, in the order of time. lost is a growing count of what the
 * recording has lost so far. What was before a loss is forgotten. Returns 0 or PD_ENOMEM.
 */
int side_history_add(struct side_history *history, uint32_t tid,
		     const struct side_event *event, uint64_t lost);

/*
 * The thread has executed a system call that no event told. What was before is forgotten.
 */
void side_history_miss(struct side_thread *thread);

/*
 * Returns how often a system call was noticed that no event told. Of the recorder itself, none
 * counts.
 */
uint64_t side_history_missed(const struct side_history *history);

/* A sample of the thread was taken: system calls count from here on. */
enum side_level {
	SIDE_AHEAD, /* the thread has begun calls that were not told, or it is not known */
	SIDE_LEVEL, /* all calls that it had begun were told */
	SIDE_USER, /* the same, and it was in user code */
};

/* Returns 0 or PD_ENOMEM. */
int side_history_count(struct side_history *history, uint32_t tid, uint64_t lost,
		       enum side_level level);

/*
 * Returns what is known about a thread, or NULL. The pointer is valid until the next
 * event.
 */
struct side_thread *side_history_find(struct side_history *history,
				      uint32_t tid, uint64_t lost);

/*
 * End a sample of the thread. fresh is the number of the newest faults that may still be
 * found behind it. Returns 0 or PD_ENOMEM.
 */
int side_history_sample(struct side_history *history, uint32_t tid,
			uint64_t lost, unsigned int fresh,
			const struct rv_regs *regs);

/*
 * Returns entry i of a ring, or NULL if it is not there. Entry 0 is the newest. ring may
 * be NULL.
 */
static inline const uint64_t *side_ring_at(const struct side_ring *ring,
					   unsigned int i)
{
	if (!ring || i >= ring->nr || i >= SIDE_HISTORY_DEPTH)
		return NULL;
	return &ring->v[(ring->nr - 1 - i) % SIDE_HISTORY_DEPTH];
}

/* Returns fault number i, or NULL if it is not there. Fault 0 is the newest. */
static inline const struct side_fault *
side_fault_at(const struct side_faults *faults, unsigned int i)
{
	if (i >= faults->nr || i >= faults->cap)
		return NULL;
	return &faults->v[(faults->nr - 1 - i) % faults->cap];
}

#endif
