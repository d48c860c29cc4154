// SPDX-License-Identifier: GPL-2.0-only
#include "side/history.h"

#include <stdlib.h>

struct side_history {
	struct side_thread *threads; /* open addressing */
	size_t nr, mask;
	uint64_t lost;
	unsigned int generation; /* of threads that know nothing of what was lost */
};

struct side_history *side_history_new(void)
{
	return calloc(1, sizeof(struct side_history));
}

void side_history_free(struct side_history *history)
{
	size_t i;

	if (!history)
		return;
	for (i = 0; history->threads && i <= history->mask; i++) {
		free(history->threads[i].syscalls);
		free(history->threads[i].faults);
	}
	free(history->threads);
	free(history);
}

static struct side_thread *slot(struct side_history *history, uint32_t tid)
{
	size_t i = tid * UINT32_C(2654435761) & history->mask;

	while (history->threads[i].used && history->threads[i].tid != tid)
		i = (i + 1) & history->mask;
	return &history->threads[i];
}

/* False: out of memory. */
static bool grow(struct side_history *history)
{
	struct side_thread *old = history->threads;
	size_t i, nr = old ? history->mask + 1 : 0, cap = nr ? 2 * nr : 64;

	history->threads = calloc(cap, sizeof(*old));
	if (!history->threads) {
		history->threads = old;
		return false;
	}
	history->mask = cap - 1;
	for (i = 0; i < nr; i++)
		if (old[i].used)
			*slot(history, old[i].tid) = old[i];
	free(old);
	return true;
}

static void forget(struct side_thread *thread)
{
	thread->in_syscall = false;
	thread->cause = 0;
	if (thread->syscalls)
		thread->syscalls->nr = 0;
	if (thread->faults)
		thread->faults->nr = 0;
}

static void note_loss(struct side_history *history, uint64_t lost)
{
	history->generation += lost != history->lost;
	history->lost = lost;
}

static struct side_thread *get(struct side_history *history, uint32_t tid)
{
	struct side_thread *thread;

	if (2 * (history->nr + 1) > history->mask && !grow(history))
		return NULL;
	thread = slot(history, tid);
	if (!thread->used) {
		thread->used = true;
		thread->tid = tid;
		history->nr++;
	}
	if (thread->generation != history->generation)
		forget(thread);
	thread->generation = history->generation;
	return thread;
}

static int push(struct side_ring **ring, uint64_t a, uint64_t b)
{
	uint64_t *v;

	if (!*ring)
		*ring = calloc(1, sizeof(**ring));
	if (!*ring)
		return PD_ENOMEM;
	v = (*ring)->v[(*ring)->nr++ % SIDE_HISTORY_DEPTH];
	v[0] = a;
	v[1] = b;
	return 0;
}

int side_history_add(struct side_history *history, uint32_t tid,
		     const struct side_event *event, uint64_t lost)
{
	const unsigned int restart_syscall = 128, pmu = 13;
	struct side_thread *thread;

	note_loss(history, lost);
	thread = get(history, tid);
	if (!thread)
		return PD_ENOMEM;
	switch (event->kind) {
	case SIDE_SYSCALL:
		thread->in_syscall = true;
		/* It shows in some paths and not in others: count anew. */
		if (event->syscall == restart_syscall && thread->syscalls)
			thread->syscalls->nr = 0;
		return push(&thread->syscalls, event->syscall, 0);
	case SIDE_SYSCALL_END:
		thread->in_syscall = false;
		return 0;
	case SIDE_FAULT:
		return push(&thread->faults, event->fault.pc,
			    event->fault.addr);
	case SIDE_INTERRUPT:
		/* The one that takes the sample freezes the stack: not in it. */
		if (event->cause != pmu)
			thread->cause = event->cause;
		return 0;
	default:
		return 0;
	}
}

const struct side_thread *side_history_find(struct side_history *history,
					    uint32_t tid, uint64_t lost)
{
	struct side_thread *thread;

	note_loss(history, lost);
	if (!history->threads)
		return NULL;
	thread = slot(history, tid);
	return thread->used && thread->generation == history->generation ?
		       thread :
		       NULL;
}
