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

#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "ctr_filter.h"

/*
 * Records that follow one another and were recorded alike. One without records says
 * that the task ran and recorded by that filter made none.
 */
struct ctr_span {
	ctr_filter_t filter;	/* what was recorded */
	u32 moment;		/* events that began after it do not see it */
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
	atomic_t state;
	u16 size;		/* of entries: a power of two */
	u16 head;		/* where the next record goes */
	u16 index;		/* physical one of the newest, when the task left */
	u16 nr_spans;
	struct ctr_span spans[CTR_STORE_SPANS];	/* newest first */
	struct ctr_entry entries[];		/* a ring */
};

/*
 * Process context. At most @limit tasks have a store. ctr_store_init() returns 0 or
 * -ENOMEM.
 */
int ctr_store_init(unsigned int limit);
void ctr_store_exit(void);

/* A hart has @depth records: stores that are made from here on have room for them. */
void ctr_store_fit(unsigned int depth);

/*
 * Process context. @task gets a store of its own, which is empty. If there are too many
 * it gets none. Returns 0 or -ENOMEM.
 */
int ctr_store_make(const struct task_struct *task);

/* Process context: have some ready for ctr_store_take(). */
void ctr_store_prepare(void);

/* Process context, and no CPU gets one meanwhile: no task has a store any more. */
void ctr_store_drop_all(void);

/* Any context: @task is gone for good, or never ran. */
void ctr_store_drop(const struct task_struct *task);

/* How many tasks have one? */
unsigned int ctr_store_count(void);

/*
 * With interrupts off, on the CPU that @task runs on: its store, which is this CPU's
 * until ctr_store_put(). ctr_store_get() returns NULL if the task has none, and
 * ctr_store_take() then gives it one, or returns NULL if none is ready. Neither
 * allocates. What the task left is forgotten if it ran elsewhere since, without its
 * store: something would be missing after it.
 */
struct ctr_store *ctr_store_get(const struct task_struct *task);
struct ctr_store *ctr_store_take(const struct task_struct *task);
void ctr_store_put(struct ctr_store *store);

/* The rest is for the holder. */

/* Forget all records. */
static inline void ctr_store_cut(struct ctr_store *store)
{
	store->nr_spans = 0;
}

/* By what was the newest record made? 0 if there is none. */
static inline ctr_filter_t ctr_store_filter(const struct ctr_store *store)
{
	return store->nr_spans ? store->spans[0].filter : 0;
}

/* How many records are there? */
unsigned int ctr_store_nr(const struct ctr_store *store);

/*
 * As many records as @span has are to follow, by ctr_store_add(). They are newer than all
 * that is there. Older ones that there is no room for are forgotten.
 */
void ctr_store_begin(struct ctr_store *store, const struct ctr_span *span);

/*
 * Room for @nr records, the oldest first, in the ring from where this returns. Assumed
 * on entry: the ring is as large.
 */
static inline struct ctr_entry *ctr_store_add(struct ctr_store *store, unsigned int nr)
{
	struct ctr_entry *entry = &store->entries[store->head & (store->size - 1)];

	store->head += nr;
	return entry;
}

/* Record @nr, 0 being the newest. Assumed on entry: there are so many. */
static inline const struct ctr_entry *ctr_store_at(const struct ctr_store *store,
						   unsigned int nr)
{
	return &store->entries[(store->head - 1 - nr) & (store->size - 1)];
}

#endif
