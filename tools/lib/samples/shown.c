// SPDX-License-Identifier: GPL-2.0-only
#include "samples/shown.h"
#include "base/array.h"

#include <stdlib.h>

struct shown_thread {
	uint32_t tid;
	uint64_t insns;
};

/* NULL: out of memory. */
static struct shown_thread *thread_of(struct shown *shown, uint32_t tid)
{
	const uint32_t hash = hash_u64(tid);
	struct hash_slot *slot;

	if (!hash_room(&shown->by_tid) ||
	    !array_room(&shown->threads, shown->nr, &shown->cap, sizeof(*shown->threads)))
		return NULL;
	hash_for_each(&shown->by_tid, slot, hash)
		if (shown->threads[slot->number - 1].tid == tid)
			return &shown->threads[slot->number - 1];
	hash_put(&shown->by_tid, slot, hash, shown->nr);
	shown->threads[shown->nr] = (struct shown_thread){ .tid = tid };
	return &shown->threads[shown->nr++];
}

/*
 * A joined path has only what ran since the thread's sample before. All of that is shown for the
 * first time, also if it is more than a period: the kernel hands the counters of inherited events
 * on from task to task, and each CPU has one of its own. So a thread that is switched runs less
 * or more than a period between two of its samples, and a limit of a period for each would cut
 * off the more, and not make up for the less. The stack of a sample that is not joined may reach
 * back to what was shown already. How far is not known, but on average a period ran since then.
 */
bool shown_add(struct shown *shown, const struct path_stitch *stitch, const struct pd_event *ev,
	       uint64_t insns, bool joined)
{
	const uint64_t older = joined ? 0 : path_stitch_older(stitch, ev, insns);
	struct shown_thread *thread = thread_of(shown, ev->tid);

	if (!thread)
		return false;
	thread->insns += insns - older;
	shown->older += older;
	return true;
}

const struct pd_attr *shown_event(const struct samples *s)
{
	const struct pd_attr *event = s->user ?: s->kernel;
	const bool one = !s->user || !s->kernel || s->user == s->kernel;

	return event && one && pd_counts_insns(event) && pd_attr_counts_its_branches(event) &&
			       samples_coverage(s, event->index) >= 0 ?
		       event : NULL;
}

/*
 * Not more of a thread than ran in it, so that what one shows again does not stand for what
 * another one lacks. If anything was lost, a part of its count may be.
 */
static uint64_t most_of(const struct samples *s, const struct pd_attr *event, uint32_t tid)
{
	const struct coverage_part *part =
		coverage_find(&s->coverage, COVERAGE_THREAD, event->index, tid);

	return part && part->counted && !pd_stats(s->pd)->lost ? part->count : UINT64_MAX;
}

uint64_t shown_insns(const struct shown *shown, const struct samples *s,
		     const struct pd_attr *event)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < shown->nr; i++) {
		const struct shown_thread *thread = &shown->threads[i];
		const uint64_t most = most_of(s, event, thread->tid);

		sum += thread->insns < most ? thread->insns : most;
	}
	return sum;
}

void shown_free(struct shown *shown)
{
	free(shown->threads);
	hash_free(&shown->by_tid);
}
