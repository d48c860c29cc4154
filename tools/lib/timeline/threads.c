// SPDX-License-Identifier: GPL-2.0-only
#include "timeline/threads.h"
#include "base/array.h"

#include <stdlib.h>

struct timeline_thread *timeline_thread(struct timeline_threads *threads, uint32_t pid,
					uint32_t tid)
{
	const uint32_t hash = hash_u64((uint64_t)pid << 32 | tid);
	struct timeline_thread *thread;
	struct hash_slot *slot;

	if (!hash_room(&threads->index) ||
	    !array_room(&threads->v, threads->nr, &threads->cap, sizeof(*threads->v)))
		return NULL;
	hash_for_each(&threads->index, slot, hash) {
		thread = &threads->v[slot->number - 1];
		if (thread->pid == pid && thread->tid == tid)
			return thread;
	}
	hash_put(&threads->index, slot, hash, threads->nr);
	thread = &threads->v[threads->nr++];
	*thread = (struct timeline_thread){ .pid = pid, .tid = tid };
	return thread;
}

bool timeline_push(struct timeline_thread *thread, uint32_t function, uint64_t begun)
{
	if (!array_room(&thread->v, thread->nr, &thread->cap, sizeof(*thread->v)))
		return false;
	thread->v[thread->nr++] = (struct timeline_frame){ function, begun };
	return true;
}

void timeline_threads_free(struct timeline_threads *threads)
{
	size_t i;

	for (i = 0; i < threads->nr; i++)
		free(threads->v[i].v);
	free(threads->v);
	hash_free(&threads->index);
}
