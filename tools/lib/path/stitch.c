// SPDX-License-Identifier: GPL-2.0-only
#include "path/stitch.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/saturate.h"

#include <linux/perf_event.h>
#include <stdlib.h>

enum {
	ENTRY = sizeof(struct pd_branch),
	MOST_RECORDS = 256, /* that a hart's buffer can hold */
};

/* The last sample of a thread. */
struct thread {
	uint32_t pid, tid;
	uint32_t cpu;
	uint64_t hw_idx;
	uint64_t lost;
	uint64_t time; /* ns */
	uint64_t since; /* ns; nothing in its path was older */
	struct path_next next; /* the caller's */
	uint64_t nr;
	struct pd_branch *branches; /* youngest first */
	size_t cap;
	/* The newest signals, the oldest first. */
	struct path_signal *signals;
	size_t nr_signals, cap_signals;
	size_t nr_fresh; /* the newest of them, which no path has passed */
	bool sampled; /* it has a sample */
	bool ended;
	bool buried; /* its number is in path_stitch.graves */
	bool stirs; /* a sample was taken since its turn there */
};

struct path_stitch {
	enum path_stitch_mode mode;
	unsigned int depth;
	bool keeps; /* samples, because others may overlap with them */
	struct thread *threads;
	size_t nr, cap;
	struct hash hash;
	struct thread *last;
	uint64_t lost; /* since its sample before */
	bool first; /* it has no sample before */
	uint32_t graves[PATH_STITCH_ENDED]; /* numbers of threads that have ended */
	uint64_t graves_seen; /* used or passed by, in turn */
};

/* An event that happens at least once for each branch taken. */
static bool counts_branches(const struct pd_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE && pd_attr_counts_its_branches(attr) &&
	       (attr->config == PERF_COUNT_HW_CPU_CYCLES ||
		attr->config == PERF_COUNT_HW_INSTRUCTIONS ||
		attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

/* May one of its samples overlap with the sample before? */
static bool may_overlap(const struct pd_attr *attr, unsigned int depth)
{
	return counts_branches(attr) &&
	       (attr->freq || attr->sample_period < (depth > MOST_RECORDS ? depth : MOST_RECORDS));
}

static bool must_keep(enum path_stitch_mode mode, unsigned int depth, const struct pd *pd)
{
	unsigned int i;

	if (mode != PATH_STITCH_AUTO || !pd)
		return mode != PATH_STITCH_NEVER;
	for (i = 0; i < pd_nr_attrs(pd); i++)
		if (may_overlap(pd_attr(pd, i), depth))
			return true;
	return false;
}

struct path_stitch *path_stitch_new(enum path_stitch_mode mode,
				    unsigned int depth, const struct pd *pd)
{
	struct path_stitch *stitch = calloc(1, sizeof(*stitch));

	if (!stitch)
		return NULL;
	stitch->mode = mode;
	stitch->depth = depth;
	stitch->keeps = must_keep(mode, depth, pd);
	return stitch;
}

void path_stitch_free(struct path_stitch *stitch)
{
	size_t i;

	if (!stitch)
		return;
	for (i = 0; i < stitch->nr; i++) {
		free(stitch->threads[i].branches);
		free(stitch->threads[i].signals);
	}
	free(stitch->threads);
	hash_free(&stitch->hash);
	free(stitch);
}

static uint32_t hash_of(const struct pd_event *ev)
{
	return hash_u64((uint64_t)ev->pid << 32 | ev->tid);
}

/* A thread that is known, or NULL with the slot for it. */
static struct thread *look_up(const struct path_stitch *stitch, const struct pd_event *ev,
			      struct hash_slot **slot)
{
	hash_for_each(&stitch->hash, *slot, hash_of(ev)) {
		struct thread *t = &stitch->threads[(*slot)->number - 1];

		if (t->pid == ev->pid && t->tid == ev->tid)
			return t;
	}
	return NULL;
}

/* The thread of an event; a new one has no branches. NULL: out of memory. */
static struct thread *get(struct path_stitch *stitch, const struct pd_event *ev)
{
	struct hash_slot *slot;
	struct thread *t;

	if (!hash_room(&stitch->hash) ||
	    !array_room(&stitch->threads, stitch->nr, &stitch->cap,
			sizeof(*stitch->threads)))
		return NULL;
	t = look_up(stitch, ev, &slot);
	if (t)
		return t;
	hash_put(&stitch->hash, slot, hash_of(ev), stitch->nr);
	stitch->threads[stitch->nr] =
		(struct thread){ .pid = ev->pid, .tid = ev->tid };
	return &stitch->threads[stitch->nr++];
}

/* Keep the sample for the next one. False: out of memory. */
static bool keep(const struct path_stitch *stitch, struct thread *t,
		 const struct pd_event *ev, uint64_t lost)
{
	const struct pd_sample *s = &ev->sample;

	if (stitch->keeps && s->nr_branches > t->cap) {
		/* No more than that: there may be many threads. */
		struct pd_branch *new = reallocarray(t->branches, s->nr_branches, ENTRY);

		if (!new)
			return false;
		t->branches = new;
		t->cap = s->nr_branches;
	}
	t->nr = stitch->keeps ? s->nr_branches : 0;
	if (t->nr)
		memcpy(t->branches, s->branches, t->nr * ENTRY);
	t->cpu = ev->cpu;
	t->hw_idx = s->hw_idx;
	t->lost = lost;
	return true;
}

/* Is it certain that fewer branches than the stack holds were taken since? */
static bool is_bounded(const struct path_stitch *stitch, const struct thread *t,
		       const struct pd_event *ev, uint64_t lost)
{
	uint64_t period = pd_period(ev), room = ev->sample.nr_branches;

	/* A stack that is not full lost nothing that was in it. */
	if (room < stitch->depth)
		room = stitch->depth;
	/* Each hart has an idle thread of its own, which is thread 0. */
	if (!t->tid && t->cpu != ev->cpu)
		return false;
	if (stitch->mode != PATH_STITCH_AUTO)
		return stitch->mode == PATH_STITCH_ALWAYS;
	return t->lost == lost && counts_branches(ev->attr) && period &&
	       period < room;
}

/*
 * How many new records the hart's own index tells, modulo the depth. Only where
 * both indices are of one hart; entries that the kernel kept over a switch stand
 * behind the hart's own and are not counted in it.
 */
static bool fits_index(const struct path_stitch *stitch, const struct thread *t,
		       const struct pd_event *ev, uint64_t fresh)
{
	const uint64_t now = ev->sample.hw_idx;

	if (!stitch->depth || now >= stitch->depth ||
	    t->hw_idx >= stitch->depth || t->cpu != ev->cpu)
		return true;
	return (t->hw_idx + fresh) % stitch->depth == now;
}

static int overlap(const struct path_stitch *stitch, const struct thread *t,
		   const struct pd_event *ev)
{
	const struct pd_sample *s = &ev->sample;
	int found = PATH_STITCH_NONE;
	uint64_t fresh;

	for (fresh = 0; t->nr && fresh < s->nr_branches; fresh++) {
		uint64_t nr = s->nr_branches - fresh;

		if (nr > t->nr)
			nr = t->nr;
		if (memcmp(s->branches + fresh * ENTRY, t->branches, nr * ENTRY) ||
		    !fits_index(stitch, t, ev, fresh))
			continue;
		if (found >= 0)
			return PATH_STITCH_AMBIGUOUS;
		found = fresh;
	}
	return found;
}

int path_stitch_sample(struct path_stitch *stitch, const struct pd_event *ev,
		       uint64_t lost)
{
	struct thread *t = get(stitch, ev);
	int ret = PATH_STITCH_NONE;

	if (!t)
		return PD_ENOMEM;
	if (is_bounded(stitch, t, ev, lost))
		ret = overlap(stitch, t, ev);
	stitch->last = t;
	stitch->lost = lost - t->lost;
	stitch->first = !t->sampled;
	t->sampled = t->stirs = true;
	return keep(stitch, t, ev, lost) ? ret : PD_ENOMEM;
}

uint64_t path_stitch_since(const struct path_stitch *stitch, const struct pd_event *ev)
{
	return saturate_times(pd_period(ev), saturate_plus(stitch->lost, 1));
}

uint64_t path_stitch_older(const struct path_stitch *stitch, const struct pd_event *ev,
			   uint64_t insns)
{
	const uint64_t since = path_stitch_since(stitch, ev);

	if (stitch->first || !since || !pd_counts_insns(ev->attr) ||
	    !pd_attr_counts_its_branches(ev->attr))
		return 0;
	return insns > since ? insns - since : 0;
}

/* --- threads that end --- */

/* Only its losses are known further on. */
static void forget(struct thread *t)
{
	free(t->branches);
	free(t->signals);
	*t = (struct thread){ .pid = t->pid, .tid = t->tid, .cpu = t->cpu,
			      .lost = t->lost, .buried = t->buried };
}

/*
 * The next grave for a thread. The one that it was for is forgotten, unless it lives,
 * because its number was used again. One with a sample since then stays until its next turn.
 */
static uint32_t *take_grave(struct path_stitch *stitch)
{
	for (;;) {
		uint32_t *grave = &stitch->graves[stitch->graves_seen++ % PATH_STITCH_ENDED];
		struct thread *t = &stitch->threads[*grave];

		if (stitch->graves_seen <= PATH_STITCH_ENDED)
			return grave;
		if (!t->ended || !t->stirs) {
			t->buried = false;
			if (t->ended)
				forget(t);
			return grave;
		}
		t->stirs = false;
	}
}

void path_stitch_task(void *arg, const struct pd_event *ev)
{
	struct path_stitch *stitch = arg;
	struct hash_slot *slot;
	struct thread *t = stitch->nr ? look_up(stitch, ev, &slot) : NULL;

	if (!t)
		return;
	if (ev->type == PERF_RECORD_FORK) {
		forget(t);
		return;
	}
	t->ended = true;
	/* Of a thread before with its number there may be a grave, which is older. */
	t->stirs = t->buried;
	if (t->buried)
		return;
	*take_grave(stitch) = t - stitch->threads;
	t->buried = true;
}

int path_stitch_signal(struct path_stitch *stitch, const struct pd_event *ev,
		       const struct path_signal *signal)
{
	struct thread *t = get(stitch, ev);

	if (!t)
		return PD_ENOMEM;
	if (t->nr_signals == PATH_STITCH_SIGNALS)
		memmove(t->signals, t->signals + 1,
			--t->nr_signals * sizeof(*t->signals));
	if (!array_room(&t->signals, t->nr_signals, &t->cap_signals, sizeof(*t->signals)))
		return PD_ENOMEM;
	t->signals[t->nr_signals++] = *signal;
	if (t->nr_fresh < t->nr_signals)
		t->nr_fresh++;
	return 0;
}

/*
 * Those that may have arrived in the path of a sample. A path that goes on has those since
 * the sample before, unless it shows some of that sample's transfers once more. False: out
 * of memory.
 */
static bool set_signals(struct path *path, const struct thread *t, bool joined)
{
	const size_t nr = joined && !t->next.again ? t->nr_fresh : t->nr_signals;

	return path_set_signals(path, t->signals + (t->nr_signals - nr), nr);
}

int path_stitch_decode(struct path_stitch *stitch, struct path *path,
		       const struct pd_event *ev, uint64_t lost, bool connected,
		       struct path_stitched *found)
{
	const unsigned int flags =
		pd_attr_has_kernel_branches(ev->attr) ? PATH_KERNEL : 0;
	const int new = path_stitch_sample(stitch, ev, lost);
	const struct pd_sample *sample = &ev->sample;
	struct path_next *next;
	struct thread *t;
	int nr;

	if (new == PD_ENOMEM)
		return PD_ENOMEM;
	t = stitch->last;
	next = &t->next;
	found->joined = new >= 0 && next->pc &&
			new + next->again <= sample->nr_branches;
	found->ambiguous = new == PATH_STITCH_AMBIGUOUS;
	found->nr_new = found->joined ? (unsigned int)new : sample->nr_branches;
	found->nr_transfers = found->nr_new + (found->joined ? next->again : 0);
	if (!set_signals(path, t, found->joined))
		return PD_ENOMEM;
	/* What is shown once more was before that sample. */
	if (!found->joined || !next->again)
		t->since = t->time;
	t->time = ev->time == PD_NO_TIME ? 0 : ev->time;
	path_set_since(path, t->since);
	if (found->joined)
		nr = path_decode_sample_on(path, ev->pid, next->pc,
					   connected && next->connected, sample,
					   found->nr_transfers, flags);
	else
		nr = path_decode_sample(path, ev->pid, sample, flags);
	path_set_signals(path, NULL, 0);
	path_set_since(path, UINT64_MAX);
	if (nr < 0)
		return nr;
	*next = *path_next(path);
	/* What was taken in the kernel may come before what the kernel did already. */
	if (next->pc == sample->ip)
		t->nr_fresh = 0;
	return nr;
}
