/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tasks did before the records that are in a hart's buffer.
 *
 * A store has one holder, the CPU that its task runs on: it gets the store when the
 * task comes and puts it when the task leaves. Only the holder looks into it, with
 * interrupts off, so that a store needs no lock. A task does not come to a CPU before
 * it has left the last one.
 */
#ifndef CTR_STORE_H
#define CTR_STORE_H

#include <linux/hash.h>
#include <linux/llist.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "ctr_filter.h"

/*
 * Records that follow one another and were recorded alike. One without records says
 * that the task ran and recorded by that filter made none.
 */
struct ctr_span {
	u64 moment;		/* events that began after it do not see it */
	ctr_filter_t filter;	/* what was recorded */
	u16 nr;			/* records */
	bool tells_misp;	/* the hart was seen to set MISP */
};

/* A task has more only where events begin and end all the time. */
#define CTR_STORE_SPANS	4

struct ctr_store {
	union {
		struct hlist_node node;
		struct llist_node spare;
	};
	struct rcu_head rcu;
	const struct task_struct *task;
	unsigned long switches;	/* of the task, when it left a CPU with these */
	atomic_t taken;		/* by its holder, or by who removes it */
	u16 size;		/* of entries: a power of two */
	u16 head;		/* where the next record goes */
	u16 index;		/* physical one of the newest, when the task left */
	u16 nr_spans;
	struct ctr_span spans[CTR_STORE_SPANS];	/* newest first */
	struct ctr_entry entries[];		/* a ring */
};

/* Stores are found by their task. */
struct ctr_store_bucket {
	raw_spinlock_t lock;	/* of those who change the list */
	struct hlist_head list;
};

/* Few tasks have one in common, and fewer CPUs want the same at once. */
#define CTR_STORE_BUCKET_BITS	10

extern struct ctr_store_bucket ctr_store_buckets[1 << CTR_STORE_BUCKET_BITS];

/*
 * Process context. At most @limit tasks have a store. ctr_store_init() returns 0 or
 * -ENOMEM.
 */
int ctr_store_init(unsigned int limit);
void ctr_store_exit(void);

/* A hart has @depth records: stores that are made from here on have room for them. */
void ctr_store_fit(unsigned int depth);

/*
 * Process context. @task gets a store of its own, which is empty. If there are too many, and
 * all have records, or if memory is short, it gets none: it may yet by ctr_store_take().
 * Returns whether it has got one just now.
 */
bool ctr_store_make(const struct task_struct *task);

/* Process context: have some ready for ctr_store_take(). */
void ctr_store_prepare(void);

/* Process context, and no CPU gets one meanwhile: no task has a store any more. */
void ctr_store_drop_all(void);

/* Any context: @task is gone for good, or never ran. */
void ctr_store_drop(const struct task_struct *task);

/* Process context: @task need not have one any more, unless there are records in it. */
void ctr_store_drop_empty(const struct task_struct *task);

/* How many tasks have one? */
unsigned int ctr_store_count(void);

static inline struct ctr_store_bucket *
ctr_store_bucket_of(const struct task_struct *task)
{
	return &ctr_store_buckets[hash_32((unsigned long)task,
					  CTR_STORE_BUCKET_BITS)];
}

/*
 * With interrupts off, under rcu_read_lock(), or with the bucket's lock: @task's store,
 * which stays in memory until then, or NULL.
 */
static inline struct ctr_store *ctr_store_find(const struct task_struct *task)
{
	struct ctr_store *store;

	hlist_for_each_entry_rcu_notrace(store, &ctr_store_bucket_of(task)->list,
					 node)
		if (store->task == task)
			return store;
	return NULL;
}

/* Is @store the caller's from here on, to hold it or to remove it? */
static inline bool ctr_store_seize(struct ctr_store *store)
{
	return !atomic_xchg(&store->taken, true);
}

/* Counted up whenever @task leaves a CPU, before the switch is traced. */
static inline unsigned long
ctr_store_switches(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/* For the holder: forget all records. */
static inline void ctr_store_cut(struct ctr_store *store)
{
	store->nr_spans = 0;
	store->spans[0].filter = 0;
}

/*
 * With interrupts off, on the CPU that @task runs on: its store, which is this CPU's
 * until ctr_store_put(). ctr_store_get() returns NULL if the task has none, and
 * ctr_store_take() then gives it one, or returns NULL if none is ready. Neither
 * allocates. What the task left is forgotten if it ran since without its store, here
 * or elsewhere: something would be missing after it.
 */
static inline struct ctr_store *ctr_store_get(const struct task_struct *task)
{
	struct ctr_store *store = ctr_store_find(task);

	if (!store || !ctr_store_seize(store))
		return NULL;
	if (store->switches != ctr_store_switches(task))
		ctr_store_cut(store);
	return store;
}

struct ctr_store *ctr_store_take(const struct task_struct *task);

static inline void ctr_store_put(struct ctr_store *store)
{
	store->switches = ctr_store_switches(store->task);
	atomic_set_release(&store->taken, false);
}

/* The rest is for the holder. */

/* By what was the newest record made? 0 if there is none. */
static inline ctr_filter_t ctr_store_filter(const struct ctr_store *store)
{
	return store->spans[0].filter;
}

/* How many records are there? */
unsigned int ctr_store_nr(const struct ctr_store *store);

/*
 * @nr records are to follow, by ctr_store_add(), of which the rest is as in struct ctr_span.
 * They are newer than all that is there. Older ones that there is no room for are forgotten.
 * Mostly they go on with the newest span: ctr_store_begin_span() is for where they do not.
 */
void ctr_store_begin_span(struct ctr_store *store, ctr_filter_t filter, u64 moment,
			  bool tells_misp, unsigned int nr);

static inline void ctr_store_begin(struct ctr_store *store, ctr_filter_t filter,
				   u64 moment, bool tells_misp, unsigned int nr)
{
	struct ctr_span *newest = store->spans;

	if (store->nr_spans && newest->filter == filter &&
	    newest->moment == moment && newest->tells_misp == tells_misp)
		newest->nr = min(newest->nr + nr, store->size);
	else
		ctr_store_begin_span(store, filter, moment, tells_misp, nr);
}

/*
 * Room for @nr records, the oldest first, in the ring. Returns which entry is for the
 * oldest. Assumed on entry: the ring is as large.
 */
static inline unsigned long ctr_store_add(struct ctr_store *store, unsigned long nr)
{
	unsigned long at = store->head & (store->size - 1);

	store->head += nr;
	return at;
}

/* Record @nr, 0 being the newest. Assumed on entry: there are so many. */
static inline const struct ctr_entry *ctr_store_at(const struct ctr_store *store,
						   unsigned int nr)
{
	return &store->entries[(store->head - 1 - nr) & (store->size - 1)];
}

#endif
