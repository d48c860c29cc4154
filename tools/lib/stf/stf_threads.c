// SPDX-License-Identifier: BSD-2-Clause
#include "stf/stf_threads.h"

#include <stdlib.h>

struct stf_left {
	uint32_t hart, pid, tid;
	bool used;
	bool wherever; /* hart is 0, and the thread was left last on any of them */
	uint64_t pc;
};

enum { FIRST_CAP = 64 };

static struct stf_left key_of(const struct stf_process *process, bool wherever)
{
	return (struct stf_left){
		.hart = wherever ? 0 : process->hart,
		.pid = process->pid,
		.tid = process->tid,
		.used = true,
		.wherever = wherever,
	};
}

static bool same(const struct stf_left *a, const struct stf_left *b)
{
	return a->hart == b->hart && a->pid == b->pid && a->tid == b->tid &&
	       a->wherever == b->wherever;
}

/* The place of a key, or the free one where it would be. There is always one. */
static struct stf_left *find(const struct stf_threads *threads, const struct stf_left *key)
{
	const uint64_t ids = (uint64_t)key->pid << 32 | key->tid;
	const uint64_t where = (uint64_t)key->hart << 1 | key->wherever;
	uint64_t hash = (ids ^ where << 20) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (threads->cap - 1);

	while (threads->v[i].used && !same(&threads->v[i], key))
		i = (i + 1) & (threads->cap - 1);
	return &threads->v[i];
}

/* Half of the places stay free. Returns false if there is no room for one more. */
static bool make_room(struct stf_threads *threads)
{
	struct stf_threads more = { .nr = threads->nr };
	size_t i;

	if (threads->nr < threads->cap / 2)
		return true;
	if (threads->nr >= STF_THREADS_MOST)
		return false;
	more.cap = threads->cap ? 2 * threads->cap : FIRST_CAP;
	more.v = calloc(more.cap, sizeof(*more.v));
	if (!more.v)
		return false;
	for (i = 0; i < threads->cap; i++)
		if (threads->v[i].used)
			*find(&more, &threads->v[i]) = threads->v[i];
	free(threads->v);
	*threads = more;
	return true;
}

static void put(struct stf_threads *threads, struct stf_left key, uint64_t pc)
{
	struct stf_left *left = threads->cap ? find(threads, &key) : NULL;

	if (!left || !left->used) {
		if (!make_room(threads)) {
			threads->full = true;
			return;
		}
		left = find(threads, &key);
		*left = key;
		threads->nr++;
	}
	left->pc = pc;
}

void stf_threads_leave(struct stf_threads *threads, const struct stf_process *process,
		       uint64_t pc)
{
	put(threads, key_of(process, false), pc);
	/* Each hart has a thread 0 of its own, which does not move. */
	if (process->tid)
		put(threads, key_of(process, true), pc);
}

/*
 * Of a thread that moves, the last place counts. Those on its harts count because a trace
 * can also have the same thread on several harts at once, as `ssctr join` makes it.
 */
bool stf_threads_goes_on(const struct stf_threads *threads,
			 const struct stf_process *process, uint64_t pc)
{
	const struct stf_left keys[] = { key_of(process, false), key_of(process, true) };
	const struct stf_left *left;
	bool known = threads->full;
	unsigned int i;

	for (i = 0; i < 2 && threads->cap; i++) {
		left = find(threads, &keys[i]);
		if (!left->used)
			continue;
		if (left->pc == pc)
			return true;
		known = true;
	}
	return !known;
}

void stf_threads_free(struct stf_threads *threads)
{
	free(threads->v);
	*threads = (struct stf_threads){ 0 };
}
