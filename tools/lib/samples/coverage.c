// SPDX-License-Identifier: GPL-2.0-only
#include "samples/coverage.h"
#include "base/array.h"

#include <stdlib.h>

/* An event for a thread or none, on one hart: a file of the recorder's. */
struct coverage_opened {
	uint64_t id;
	unsigned int event;
	uint32_t pid, tid; /* PD_NO_ID: of all that ran on the hart */
	uint32_t cpu;
	uint64_t count;
	uint64_t ended; /* of that, in threads that have ended */
	uint64_t enabled, running; /* ns */
	bool counted;
};

static uint32_t key_of(enum coverage_kind kind, unsigned int event,
		       uint32_t number)
{
	return hash_u64((uint64_t)number << 32 | (uint64_t)event << 2 | kind);
}

static bool is_part(const struct coverage_part *part, enum coverage_kind kind,
		    unsigned int event, uint32_t number)
{
	return part->kind == kind && part->event == event &&
	       part->number == number;
}

const struct coverage_part *coverage_find(const struct coverage *c,
					  enum coverage_kind kind,
					  unsigned int event, uint32_t number)
{
	struct hash_slot *slot;

	if (!c->nr_parts)
		return NULL;
	hash_for_each(&c->by_key, slot, key_of(kind, event, number))
		if (is_part(&c->parts[slot->number - 1], kind, event, number))
			return &c->parts[slot->number - 1];
	return NULL;
}

/* The same, or a new one. NULL: out of memory. */
static struct coverage_part *part_of(struct coverage *c,
				     enum coverage_kind kind,
				     unsigned int event, uint32_t number)
{
	const uint32_t key = key_of(kind, event, number);
	struct hash_slot *slot;

	if (!hash_room(&c->by_key) ||
	    !array_room(&c->parts, c->nr_parts, &c->cap_parts,
			sizeof(*c->parts)))
		return NULL;
	hash_for_each(&c->by_key, slot, key)
		if (is_part(&c->parts[slot->number - 1], kind, event, number))
			return &c->parts[slot->number - 1];
	hash_put(&c->by_key, slot, key, c->nr_parts);
	c->parts[c->nr_parts] = (struct coverage_part){
		.kind = kind, .number = number, .pid = PD_NO_ID, .event = event,
		.on = 1, .enabled = UINT64_MAX,
	};
	return &c->parts[c->nr_parts++];
}

static struct coverage_opened *opened_of(struct coverage *c, uint64_t id)
{
	struct hash_slot *slot;

	if (!hash_room(&c->by_id) ||
	    !array_room(&c->opened, c->nr_opened, &c->cap_opened,
			sizeof(*c->opened)))
		return NULL;
	hash_for_each(&c->by_id, slot, hash_u64(id))
		if (c->opened[slot->number - 1].id == id)
			return &c->opened[slot->number - 1];
	hash_put(&c->by_id, slot, hash_u64(id), c->nr_opened);
	c->opened[c->nr_opened] = (struct coverage_opened){ .id = id };
	return &c->opened[c->nr_opened++];
}

/* Find the parts that a sample belongs to. False: out of memory. */
static bool find_parts(struct coverage *c, const struct pd_event *ev)
{
	const uint32_t numbers[] = { 0, ev->cpu, ev->tid };
	enum coverage_kind kind;

	for (kind = COVERAGE_EVENT; kind <= COVERAGE_THREAD; kind++) {
		struct coverage_part *part = part_of(c, kind, ev->attr->index, numbers[kind]);

		if (!part)
			return false;
		c->last[kind] = part - c->parts;
	}
	c->attr = ev->attr;
	c->cpu = ev->cpu;
	c->tid = ev->tid;
	return true;
}

bool coverage_sample(struct coverage *c, const struct pd_event *ev)
{
	const uint64_t period = pd_period(ev);
	enum coverage_kind kind;

	/* Most samples are of the last one's event, hart and thread. */
	if ((c->attr != ev->attr || c->cpu != ev->cpu || c->tid != ev->tid) &&
	    !find_parts(c, ev))
		return false;
	for (kind = COVERAGE_EVENT; kind <= COVERAGE_THREAD; kind++) {
		struct coverage_part *part = &c->parts[c->last[kind]];

		part->samples++;
		part->covered += period;
		part->before = part->last;
		part->last = period;
		part->unknown |= !period;
	}
	c->parts[c->last[COVERAGE_THREAD]].pid = ev->pid;
	return true;
}

/* The part of a thread of that process. NULL: out of memory. */
static struct coverage_part *thread_of(struct coverage *c, unsigned int event,
				       uint32_t tid, uint32_t pid)
{
	struct coverage_part *part = part_of(c, COVERAGE_THREAD, event, tid);

	/* Where a sample told it, that is right for certain. */
	if (part && !part->samples)
		part->pid = pid;
	return part;
}

static bool add_count(struct coverage *c, enum coverage_kind kind,
		      unsigned int event, uint32_t number, uint64_t count)
{
	struct coverage_part *part = part_of(c, kind, event, number);

	if (!part)
		return false;
	part->count += count;
	part->counted = true;
	return true;
}

bool coverage_count(struct coverage *c, const struct pd_event *ev)
{
	struct coverage_opened *opened = opened_of(c, ev->read.id);

	if (!opened)
		return false;
	if (ev->time) {
		opened->ended += ev->read.count;
		return thread_of(c, ev->attr->index, ev->tid, ev->pid) &&
		       add_count(c, COVERAGE_THREAD, ev->attr->index, ev->tid,
				 ev->read.count);
	}
	opened->event = ev->attr->index;
	opened->pid = ev->pid;
	opened->tid = ev->tid;
	opened->cpu = ev->cpu;
	opened->count = ev->read.count;
	opened->enabled = ev->read.enabled;
	opened->running = ev->read.running;
	opened->counted = true;
	return true;
}

bool coverage_lacks(struct coverage *c, const struct pd_event *ev)
{
	const uint32_t numbers[] = { 0, ev->cpu };
	enum coverage_kind kind;

	for (kind = COVERAGE_EVENT; kind <= COVERAGE_HART; kind++) {
		struct coverage_part *part = part_of(c, kind, ev->attr->index, numbers[kind]);

		if (!part)
			return false;
		part->lacks = true;
	}
	return true;
}

void coverage_thread_ended(struct coverage *c)
{
	c->threads_ended++;
}

bool coverage_is_of_threads(const struct coverage *c, unsigned int event)
{
	size_t i;

	for (i = 0; i < c->nr_opened; i++)
		if (c->opened[i].counted && c->opened[i].event == event)
			return c->opened[i].tid != PD_NO_ID;
	return false;
}

/*
 * The period after the last sample of a thread. With a rate, the periods begin with 1 and grow
 * from one to the next, by a smaller share each time. So the one that was under way is the
 * longest of a short thread.
 */
static double next_period(const struct coverage_part *thread)
{
	const double last = thread->last, growth = thread->before ? last / thread->before : 1;

	return last * (growth < 1 ? 1 : growth < 2 ? growth : 2);
}

double coverage_of_ends(const struct coverage *c, const struct coverage_part *all)
{
	uint64_t nr = 0;
	double sum = 0;
	size_t i;

	if (!coverage_is_of_threads(c, all->event))
		return 0;
	for (i = 0; i < c->nr_parts; i++) {
		const struct coverage_part *part = &c->parts[i];

		if (part->kind != COVERAGE_THREAD || part->event != all->event || !part->samples)
			continue;
		sum += next_period(part);
		nr++;
	}
	/* A thread that ended before its first sample had the period of the one that started it. */
	return nr ? sum / nr * c->threads_ended / 2 : 0;
}

bool coverage_thread(struct coverage *c, const struct pd *pd, const struct pd_event *ev)
{
	unsigned int event;

	for (event = 0; event < pd_nr_attrs(pd); event++)
		if (pd_attr(pd, event)->inherit_stat &&
		    !thread_of(c, event, ev->tid, ev->pid))
			return false;
	return true;
}

/*
 * Which thread an inherited event's count is of that none that ended told: the last one
 * that is left, whichever it was opened for, as the kernel hands on events from task to
 * task. PD_NO_ID: there are more, or the kernel tells no counts of threads, as 6.12.
 */
static uint32_t last_thread(const struct coverage *c, const struct pd_attr *attr)
{
	uint32_t last = PD_NO_ID;
	size_t i;

	for (i = 0; i < c->nr_parts; i++) {
		const struct coverage_part *part = &c->parts[i];

		if (part->kind != COVERAGE_THREAD || part->counted ||
		    part->event != attr->index)
			continue;
		if (last != PD_NO_ID)
			return PD_NO_ID;
		last = part->number;
	}
	return attr->inherit_stat ? last : PD_NO_ID;
}

/* --- how long an event was on --- */

/* Of an event, as often as it was opened, in ns. */
struct times {
	double enabled, running;
};

static double share_on(struct times t)
{
	return t.running < t.enabled ? t.running / t.enabled : 1;
}

/* What it would have counted if it had been on all the time. Never on: nothing is known. */
static uint64_t estimate(uint64_t count, double on)
{
	const double all = on > 0 ? (double)count / on : 0;

	if (on <= 0 || on >= 1)
		return count;
	return all < (double)UINT64_MAX ? (uint64_t)all : UINT64_MAX;
}

/* What is known of an event when everything is read. */
struct event_end {
	struct times times;
	double on;
	uint32_t last; /* see last_thread() */
};

static bool add_opened(struct coverage *c, const struct coverage_opened *o, uint32_t tid)
{
	const struct times own = { o->enabled, o->running };
	/* Of a thread it is not known so well what it did on a CPU. */
	const double on = o->tid == PD_NO_ID ? share_on(own) : 1;

	return add_count(c, COVERAGE_EVENT, o->event, 0, o->count) &&
	       (o->cpu == PD_NO_ID ||
		add_count(c, COVERAGE_HART, o->event, o->cpu, estimate(o->count, on))) &&
	       (tid == PD_NO_ID || o->count < o->ended ||
		add_count(c, COVERAGE_THREAD, o->event, tid, o->count - o->ended));
}

static bool add_all_opened(struct coverage *c, const struct pd *pd,
			   const struct event_end *ends)
{
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < c->nr_opened; i++) {
		const struct coverage_opened *o = &c->opened[i];
		const bool inherited = pd_attr(pd, o->event)->inherit;

		ok = !o->counted ||
		     add_opened(c, o, inherited && o->tid != PD_NO_ID ?
					      ends[o->event].last : o->tid);
	}
	return ok;
}

/*
 * Add up the times. All events of a thread are enabled while it runs, and the one of its CPU
 * is on. They are enabled and disabled one after the other: while the one that is enabled for
 * the shortest time is, all are. Threads that told nothing have a part, too.
 */
static bool add_times(struct coverage *c, struct event_end *ends)
{
	struct coverage_part *thread;
	size_t i;

	for (i = 0; i < c->nr_opened; i++) {
		const struct coverage_opened *o = &c->opened[i];
		struct times *t = &ends[o->event].times;

		if (!o->counted)
			continue;
		t->running += o->running;
		if (o->tid == PD_NO_ID) {
			t->enabled += o->enabled;
			continue;
		}
		thread = thread_of(c, o->event, o->tid, o->pid);
		if (!thread)
			return false;
		if (o->enabled < thread->enabled)
			thread->enabled = o->enabled;
	}
	for (i = 0; i < c->nr_parts; i++)
		if (c->parts[i].enabled != UINT64_MAX)
			ends[c->parts[i].event].times.enabled += c->parts[i].enabled;
	return true;
}

/* A thread may have run on any CPU. */
static void forget_count(const struct coverage *c, struct coverage_part *part)
{
	const struct coverage_part *all = coverage_find(c, COVERAGE_EVENT, part->event, 0);

	if (!part->lacks && (part->kind != COVERAGE_THREAD || !all || !all->lacks))
		return;
	part->counted = false;
	part->count = 0;
}

bool coverage_end(struct coverage *c, const struct pd *pd, bool lost)
{
	struct event_end *ends = calloc(pd_nr_attrs(pd) + 1, sizeof(*ends));
	bool ok = ends && add_times(c, ends);
	unsigned int event;
	size_t i;

	for (event = 0; ok && event < pd_nr_attrs(pd); event++) {
		ends[event].on = share_on(ends[event].times);
		ends[event].last = lost ? PD_NO_ID : last_thread(c, pd_attr(pd, event));
	}
	ok = ok && add_all_opened(c, pd, ends);
	for (i = 0; ok && i < c->nr_parts; i++) {
		struct coverage_part *part = &c->parts[i];

		part->on = ends[part->event].on;
		if (part->kind != COVERAGE_HART)
			part->count = estimate(part->count, part->on);
	}
	for (i = 0; ok && i < c->nr_parts; i++)
		forget_count(c, &c->parts[i]);
	free(ends);
	return ok;
}

double coverage_share(const struct coverage_part *part)
{
	double share;

	if (!part || !part->counted || !part->count || part->unknown)
		return -1;
	share = (double)part->covered / part->count;
	/* What was counted of a sample that was under way when the event stopped. */
	return share < 1 ? share : 1;
}

void coverage_free(struct coverage *c)
{
	free(c->parts);
	hash_free(&c->by_key);
	free(c->opened);
	hash_free(&c->by_id);
}
