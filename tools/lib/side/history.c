// SPDX-License-Identifier: GPL-2.0-only
#include "side/history.h"
#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>

struct side_history {
	struct side_thread *threads;
	size_t nr, cap;
	struct hash hash;
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
	for (i = 0; i < history->nr; i++) {
		free(history->threads[i].syscalls);
		free(history->threads[i].faults.v);
	}
	free(history->threads);
	hash_free(&history->hash);
	free(history);
}

/* A thread that is known, or NULL with the slot for it. */
static struct side_thread *find(const struct side_history *history,
				uint32_t tid, struct hash_slot **slot)
{
	hash_for_each(&history->hash, *slot, hash_u64(tid)) {
		struct side_thread *thread =
			&history->threads[(*slot)->number - 1];

		if (thread->tid == tid)
			return thread;
	}
	return NULL;
}

static void forget(struct side_thread *thread)
{
	thread->in_syscall = thread->placed = false;
	thread->counted = false;
	thread->certain = 0;
	thread->cause = 0;
	if (thread->syscalls)
		thread->syscalls->nr = 0;
	thread->faults.nr = thread->faults.fresh = 0;
	thread->regs.known = 0;
}

static void note_loss(struct side_history *history, uint64_t lost)
{
	history->generation += lost != history->lost;
	history->lost = lost;
}

static struct side_thread *get(struct side_history *history, uint32_t tid)
{
	struct side_thread *thread;
	struct hash_slot *slot;

	if (!hash_room(&history->hash) ||
	    !array_room(&history->threads, history->nr, &history->cap,
			sizeof(*thread)))
		return NULL;
	thread = find(history, tid, &slot);
	if (!thread) {
		hash_put(&history->hash, slot, hash_u64(tid), history->nr);
		thread = &history->threads[history->nr++];
		*thread = (struct side_thread){ .tid = tid };
	}
	if (thread->generation != history->generation)
		forget(thread);
	thread->generation = history->generation;
	return thread;
}

static int push_syscall(struct side_thread *thread, uint64_t number)
{
	if (!thread->syscalls)
		thread->syscalls = calloc(1, sizeof(*thread->syscalls));
	if (!thread->syscalls)
		return PD_ENOMEM;
	thread->syscalls->v[thread->syscalls->nr++ % SIDE_HISTORY_DEPTH] = number;
	thread->certain++;
	thread->fresh_syscalls++;
	return 0;
}

static int push_fault(struct side_faults *faults, const struct side_fault *fault)
{
	if (faults->nr == faults->cap && faults->cap < SIDE_HISTORY_DEPTH) {
		const unsigned int cap = faults->cap ? 2 * faults->cap : 4;
		struct side_fault *v = realloc(faults->v, cap * sizeof(*v));

		if (!v)
			return PD_ENOMEM;
		faults->v = v;
		faults->cap = cap;
	}
	faults->v[faults->nr++ % faults->cap] = *fault;
	faults->fresh++;
	return 0;
}

static int begin_syscall(struct side_thread *thread, const struct side_event *event)
{
	const unsigned int restart_syscall = 128;

	thread->in_syscall = thread->placed = true;
	thread->records |= event->switches;
	/* It shows in some paths and not in others: count anew. */
	if (event->syscall == restart_syscall && thread->syscalls) {
		thread->syscalls->nr = thread->certain = 0;
		thread->counted = false;
	}
	return push_syscall(thread, event->syscall);
}

/*
 * Of a call that seccomp or a tracer denies, the kernel tells no start, but an end with its
 * number. Where a filter left out the start, or it is lost and the loss not told yet, other
 * calls may be missing as a whole: those before it are not certain. The number is the
 * call's. Only that of rt_sigreturn is of the code to which it returns, and its number is
 * loaded right before it: the code contradicts.
 */
static int end_syscall(struct side_thread *thread, const struct side_event *event)
{
	/* The first one may be from before the recording, or from before a loss. */
	const bool bare = thread->placed && !thread->in_syscall;

	thread->in_syscall = false;
	thread->placed = true;
	if (!bare)
		return 0;
	thread->certain = 0;
	return push_syscall(thread, event->syscall);
}

int side_history_add(struct side_history *history, uint32_t tid,
		     const struct side_event *event, uint64_t lost)
{
	const unsigned int pmu = 13;
	struct side_thread *thread;

	note_loss(history, lost);
	thread = get(history, tid);
	if (!thread)
		return PD_ENOMEM;
	switch (event->kind) {
	case SIDE_SYSCALL:
		return begin_syscall(thread, event);
	case SIDE_SYSCALL_END:
		return end_syscall(thread, event);
	case SIDE_FAULT:
		return push_fault(&thread->faults, &event->fault);
	case SIDE_INTERRUPT:
		/* The one that takes the sample freezes the stack: not in it. */
		if (event->cause != pmu)
			thread->cause = event->cause;
		return 0;
	default:
		return 0;
	}
}

void side_history_miss(struct side_thread *thread)
{
	if (!thread->syscalls || !thread->syscalls->nr)
		return;
	thread->syscalls->nr = thread->certain = 0;
	thread->missed++;
}

uint64_t side_history_missed(const struct side_history *history)
{
	uint64_t missed = 0;
	size_t i;

	for (i = 0; i < history->nr; i++)
		if (!history->threads[i].records)
			missed += history->threads[i].missed;
	return missed;
}

int side_history_count(struct side_history *history, uint32_t tid, uint64_t lost,
		       enum side_level level)
{
	struct side_thread *thread;

	note_loss(history, lost);
	thread = get(history, tid);
	if (!thread)
		return PD_ENOMEM;
	thread->fresh_syscalls = 0;
	thread->counted = level != SIDE_AHEAD;
	if (level == SIDE_USER) {
		thread->in_syscall = false;
		thread->placed = true;
	}
	return 0;
}

struct side_thread *side_history_find(struct side_history *history,
				      uint32_t tid, uint64_t lost)
{
	struct side_thread *thread;
	struct hash_slot *slot;

	note_loss(history, lost);
	thread = history->nr ? find(history, tid, &slot) : NULL;
	return thread && thread->generation == history->generation ? thread :
								     NULL;
}

int side_history_sample(struct side_history *history, uint32_t tid,
			uint64_t lost, unsigned int fresh,
			const struct rv_regs *regs)
{
	struct side_thread *thread;

	note_loss(history, lost);
	thread = get(history, tid);
	if (!thread)
		return PD_ENOMEM;
	thread->sampled = true;
	thread->regs = *regs;
	thread->faults.fresh = fresh;
	return 0;
}
