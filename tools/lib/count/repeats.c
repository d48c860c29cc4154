// SPDX-License-Identifier: GPL-2.0-only
#include "count/repeats.h"
#include "base/array.h"
#include "count/count.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD = sizeof(struct pd_branch) };

/* The last stack of an event in a thread. */
struct repeats_thread {
	const struct pd_attr *attr;
	uint32_t pid, tid;
	uint8_t *records; /* the newest first */
	size_t nr, cap;
};

static struct repeats_thread *thread_of(struct repeats *r, const struct pd_event *ev)
{
	const uint32_t hash = hash_u64((uint64_t)ev->pid << 32 | ev->tid);
	struct hash_slot *slot;

	if (!hash_room(&r->hash) || !array_room(&r->v, r->nr, &r->cap, sizeof(*r->v)))
		return NULL;
	hash_for_each(&r->hash, slot, hash) {
		struct repeats_thread *t = &r->v[slot->number - 1];

		if (t->pid == ev->pid && t->tid == ev->tid && t->attr == ev->attr)
			return t;
	}
	hash_put(&r->hash, slot, hash, r->nr);
	r->v[r->nr] = (struct repeats_thread){ ev->attr, ev->pid, ev->tid, NULL, 0, 0 };
	return &r->v[r->nr++];
}

/* How many of the records, the newest first, were in the stack before. */
static size_t count_seen(const struct repeats_thread *before, const uint8_t *records, size_t nr)
{
	size_t fresh = nr > before->nr ? nr - before->nr : 0, seen = 0;

	for (; fresh < nr; fresh++) {
		if (memcmp(records + fresh * RECORD, before->records, (nr - fresh) * RECORD))
			continue;
		if (seen)
			return 0;
		seen = nr - fresh;
	}
	return seen;
}

bool repeats_sample(struct repeats *r, const struct pd_event *ev)
{
	const size_t nr = ev->sample.nr_branches;
	struct repeats_thread *t;

	if (!nr || count_is_call_stack(ev))
		return true;
	t = thread_of(r, ev);
	if (!t)
		return false;
	r->entries += nr;
	r->seen += count_seen(t, ev->sample.branches, nr);
	while (t->cap < nr)
		if (!array_grow(&t->records, &t->cap, RECORD))
			return false;
	memcpy(t->records, ev->sample.branches, nr * RECORD);
	t->nr = nr;
	return true;
}

void repeats_free(struct repeats *r)
{
	while (r->nr)
		free(r->v[--r->nr].records);
	free(r->v);
	hash_free(&r->hash);
	*r = (struct repeats){ 0 };
}
