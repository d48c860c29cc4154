// SPDX-License-Identifier: GPL-2.0-only
#include "tracestat/threads.h"
#include "base/array.h"

#include <stdlib.h>

static bool is(const struct tstat_thread *thread, const struct stf_process *p)
{
	return thread->pid == p->pid && thread->tid == p->tid;
}

/* In the place of an index: one of the further threads ran last. */
#define FURTHER	SIZE_MAX

static struct tstat_thread *last_of(struct tstat_threads *t)
{
	if (t->last == FURTHER)
		return &t->further;
	return t->last ? &t->v[t->last - 1] : NULL;
}

/* NULL: out of memory. */
static struct tstat_thread *find(struct tstat_threads *t,
				 const struct stf_process *p)
{
	const uint32_t hash = hash_u64((uint64_t)p->pid << 32 | p->tid);
	bool full = t->nr == TSTAT_MAX_THREADS;
	struct hash_slot *slot;

	if (!full && (!hash_room(&t->by_id) ||
		      !array_room(&t->v, t->nr, &t->cap, sizeof(*t->v))))
		return NULL;
	hash_for_each(&t->by_id, slot, hash) {
		t->last = slot->number;
		if (is(&t->v[t->last - 1], p))
			return &t->v[t->last - 1];
	}
	if (full) {
		t->last = FURTHER;
		t->further.pid = p->pid;
		t->further.tid = p->tid;
		return &t->further;
	}
	hash_put(&t->by_id, slot, hash, t->nr);
	t->v[t->nr] = (struct tstat_thread){ .pid = p->pid, .tid = p->tid };
	t->last = ++t->nr;
	return &t->v[t->last - 1];
}

bool tstat_threads_count(struct tstat_threads *t, const struct stf_inst *inst,
			 enum rv_class class, bool executed)
{
	struct tstat_thread *thread = last_of(t);

	t->told |= !!(inst->flags & STF_INST_F_PROCESS);
	if (!thread || !is(thread, &inst->process)) {
		thread = find(t, &inst->process);
		if (!thread)
			return false;
		thread->entries++;
	}
	thread->gaps += !!(inst->flags & STF_INST_F_GAP);
	if (!executed)
		return true;
	thread->instructions++;
	thread->user += inst->mode == STF_MODE_USER;
	thread->branches += class == RV_CLASS_BRANCH;
	thread->taken += class == RV_CLASS_BRANCH && inst->flags & STF_INST_F_TAKEN;
	thread->memory += !!(inst->flags & STF_INST_F_MEM);
	return true;
}

static int busier(const void *a, const void *b)
{
	const struct tstat_thread *one = a, *other = b;
	int order = array_order(b, a);

	if (!order)
		order = (one->pid > other->pid) - (one->pid < other->pid);
	return order ? order : (one->tid > other->tid) - (one->tid < other->tid);
}

void tstat_threads_sort(struct tstat_threads *t)
{
	if (t->nr)
		qsort(t->v, t->nr, sizeof(*t->v), busier);
}

void tstat_threads_free(struct tstat_threads *t)
{
	hash_free(&t->by_id);
	free(t->v);
}
