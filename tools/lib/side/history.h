/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last traps of each thread, as side events told them: what a sample's branch
 * stack shows of the same time is matched with it.
 */
#ifndef SIDE_HISTORY_H
#define SIDE_HISTORY_H

#include "side/side.h"

/* As many of each kind are kept for a thread; no branch stack shows more. */
enum { SIDE_HISTORY_DEPTH = 64 };

struct side_ring {
	unsigned int nr; /* ever; the youngest is nr - 1 */
	uint64_t v[SIDE_HISTORY_DEPTH];
};

struct side_faults {
	unsigned int nr; /* ever; the youngest is nr - 1 */
	unsigned int fresh; /* told since the thread's last sample */
	unsigned int cap; /* that there is room for; it grows up to the depth */
	struct side_fault *v;
};

struct side_thread {
	uint32_t tid;
	bool in_syscall; /* the last that is known of system calls: one began */
	unsigned int generation;
	unsigned int cause; /* of the last interrupt but the PMU's; 0: none */
	struct side_ring *syscalls; /* their numbers; NULL: none */
	struct side_faults faults;
	struct rv_regs regs; /* where the thread's last sample was taken */
};

struct side_history;

/* NULL: out of memory. */
struct side_history *side_history_new(void);
void side_history_free(struct side_history *history);

/*
 * The next side event, in the order of time. lost is what the recording has lost
 * so far, by any count that grows: what was before a loss is forgotten. Returns 0
 * or PD_ENOMEM.
 */
int side_history_add(struct side_history *history, uint32_t tid,
		     const struct side_event *event, uint64_t lost);

/* What is known of a thread; NULL: nothing. Valid until the next event. */
struct side_thread *side_history_find(struct side_history *history,
				      uint32_t tid, uint64_t lost);

/*
 * A sample of the thread is done with: so many of the youngest faults are still to be
 * found behind it. Returns 0 or PD_ENOMEM.
 */
int side_history_sample(struct side_history *history, uint32_t tid,
			uint64_t lost, unsigned int fresh,
			const struct rv_regs *regs);

/* Entry i of a ring, 0 the youngest; NULL if it is not there. ring may be NULL. */
static inline const uint64_t *side_ring_at(const struct side_ring *ring,
					   unsigned int i)
{
	if (!ring || i >= ring->nr || i >= SIDE_HISTORY_DEPTH)
		return NULL;
	return &ring->v[(ring->nr - 1 - i) % SIDE_HISTORY_DEPTH];
}

/* The same of faults. */
static inline const struct side_fault *
side_fault_at(const struct side_faults *faults, unsigned int i)
{
	if (i >= faults->nr || i >= faults->cap)
		return NULL;
	return &faults->v[(faults->nr - 1 - i) % faults->cap];
}

#endif
