// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "ctr_store.h"

/* So many are ready on each CPU for tasks that come without one. */
#define SPARE	16

struct spare {
	struct llist_head list;	/* this CPU alone takes from it */
	atomic_t nr;
};

struct ctr_store_bucket ctr_store_buckets[1 << CTR_STORE_BUCKET_BITS];

static struct spare __percpu *spares;
static struct shrinker *shrinker;
static unsigned int limit, depth = CTR_DEPTH_ENTRIES(0);
static atomic_t nr_stores = ATOMIC_INIT(0);
static bool no_memory;			/* for the last spare */
static unsigned long full_until;	/* all had records, in jiffies */

void ctr_store_fit(unsigned int entries)
{
	if (entries > READ_ONCE(depth))
		WRITE_ONCE(depth, entries);
}

static struct ctr_store *allocate(gfp_t gfp)
{
	unsigned int size = READ_ONCE(depth);
	struct ctr_store *store;

	store = kmalloc(struct_size(store, entries, size), gfp);
	if (!store)
		return NULL;
	store->size = size;
	store->head = 0;
	store->switches = 0;
	ctr_store_cut(store);
	atomic_set(&store->taken, false);
	return store;
}

/* Returns false if @task has one already, or too many tasks have. */
static bool insert(struct ctr_store *store, const struct task_struct *task)
{
	struct ctr_store_bucket *bucket = ctr_store_bucket_of(task);
	unsigned long flags;
	bool new;

	store->task = task;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	new = !ctr_store_find(task) && atomic_add_unless(&nr_stores, 1, limit);
	if (new)
		hlist_add_head_rcu(&store->node, &bucket->list);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return new;
}

/* Under the bucket's lock: put @store, which is the caller's, into the list @removed. */
static void unlink(struct ctr_store *store, struct rcu_head **removed)
{
	hlist_del_rcu(&store->node);
	atomic_dec(&nr_stores);
	store->rcu.next = *removed;
	*removed = &store->rcu;
}

/* The same. Not one that is held: its holder looks into it. */
static bool remove(struct ctr_store *store, struct rcu_head **removed)
{
	if (!ctr_store_seize(store))
		return false;
	unlink(store, removed);
	return true;
}

/* The same. Not one that has records. */
static bool remove_empty(struct ctr_store *store, struct rcu_head **removed)
{
	/* A task that comes meanwhile would go on without what it has. */
	if (READ_ONCE(store->nr_spans) || !ctr_store_seize(store))
		return false;
	if (store->nr_spans) {
		atomic_set_release(&store->taken, false);
		return false;
	}
	unlink(store, removed);
	return true;
}

/*
 * Without the bucket's lock, which is taken under a runqueue's: freeing may wake somebody,
 * which takes a runqueue's.
 */
static void free_removed(struct rcu_head *removed)
{
	struct ctr_store *store;

	while (removed) {
		store = container_of(removed, struct ctr_store, rcu);
		removed = removed->next;
		kfree_rcu(store, rcu);
	}
}

static __always_inline void drop(const struct task_struct *task,
				 bool (*how)(struct ctr_store *store,
					     struct rcu_head **removed))
{
	struct ctr_store_bucket *bucket = ctr_store_bucket_of(task);
	struct rcu_head *removed = NULL;
	struct ctr_store *store;
	unsigned long flags;

	/* Most tasks have none. */
	if (hlist_empty(&bucket->list))
		return;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	store = ctr_store_find(task);
	if (store)
		how(store, &removed);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	free_removed(removed);
}

void ctr_store_drop(const struct task_struct *task)
{
	drop(task, remove);
}

void ctr_store_drop_empty(const struct task_struct *task)
{
	drop(task, remove_empty);
}

/* Remove @nr stores or more by @how, if there are so many, of any tasks. Returns how many. */
static unsigned long remove_some(unsigned long nr, bool (*how)(struct ctr_store *store,
							       struct rcu_head **removed))
{
	unsigned long nr_removed = 0;
	struct ctr_store *store;
	struct hlist_node *next;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ctr_store_buckets) && nr_removed < nr; i++) {
		struct ctr_store_bucket *bucket = &ctr_store_buckets[i];
		struct rcu_head *removed = NULL;

		if (hlist_empty(&bucket->list))
			continue;
		raw_spin_lock_irqsave(&bucket->lock, flags);
		hlist_for_each_entry_safe(store, next, &bucket->list, node)
			nr_removed += how(store, &removed);
		raw_spin_unlock_irqrestore(&bucket->lock, flags);
		free_removed(removed);
	}
	return nr_removed;
}

unsigned int ctr_store_count(void)
{
	return atomic_read(&nr_stores);
}

/*
 * Are there fewer than there may be? If not, tasks that have made no records give back up to
 * @nr of theirs: who has events that never begin is in nobody's way. If all have some, that is
 * not looked at again at once: a fork with many events asks for each.
 */
static bool make_room(unsigned long nr)
{
	if (ctr_store_count() < limit)
		return true;
	if (time_before(jiffies, READ_ONCE(full_until)))
		return false;
	if (remove_some(nr, remove_empty))
		return true;
	WRITE_ONCE(full_until, jiffies + HZ / 10);
	return false;
}

bool ctr_store_make(const struct task_struct *task)
{
	struct ctr_store *store;
	bool known;

	rcu_read_lock();
	known = ctr_store_find(task);
	rcu_read_unlock();
	if (known || !make_room(1))
		return false;
	/* Any user can have one for each of his tasks. Nobody is to die for it. */
	store = allocate(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN);
	if (!store)
		return false;
	if (insert(store, task))
		return true;
	kfree(store);
	return false;
}

static unsigned long count_for_shrinker(struct shrinker *unused,
					struct shrink_control *control)
{
	return ctr_store_count();
}

static unsigned long shrink(struct shrinker *unused,
			    struct shrink_control *control)
{
	return remove_some(control->nr_to_scan, remove);
}

void ctr_store_prepare(void)
{
	struct ctr_store *store;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct spare *spare = per_cpu_ptr(spares, cpu);

		while (atomic_read(&spare->nr) < SPARE &&
		       ctr_store_count() < limit) {
			store = allocate(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
			WRITE_ONCE(no_memory, !store);
			if (!store)
				return;
			atomic_inc(&spare->nr);
			llist_add(&store->spare, &spare->list);
		}
	}
}

static void prepare_more(struct work_struct *work)
{
	if (make_room(SPARE))
		ctr_store_prepare();
}

/* Nothing can be allocated, nor a work be queued, in the midst of a switch. */
static DECLARE_DELAYED_WORK(more_work, prepare_more);

/* Who runs the work leaves records, and may find no store for them. */
static void queue_more(struct irq_work *work)
{
	schedule_delayed_work(&more_work, READ_ONCE(no_memory) || ctr_store_count() >= limit ?
					  HZ / 10 : 0);
}

static DEFINE_IRQ_WORK(more, queue_more);

static void drop_spares(void)
{
	struct ctr_store *store, *next;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct spare *spare = per_cpu_ptr(spares, cpu);

		llist_for_each_entry_safe(store, next,
					  llist_del_all(&spare->list), spare)
			kfree(store);
		atomic_set(&spare->nr, 0);
	}
}

void ctr_store_drop_all(void)
{
	irq_work_sync(&more);
	cancel_delayed_work_sync(&more_work);
	drop_spares();
	remove_some(ULONG_MAX, remove);
}

struct ctr_store *ctr_store_take(const struct task_struct *task)
{
	struct ctr_store *store = ctr_store_get(task);
	struct spare *spare = this_cpu_ptr(spares);
	struct llist_node *node;

	/*
	 * It may have been made since the task came. If it is older, what the task did here
	 * was not recorded at first: recording has begun since.
	 */
	if (store) {
		ctr_store_cut(store);
		return store;
	}
	if (ctr_store_count() >= limit) {
		if (!delayed_work_pending(&more_work))
			irq_work_queue(&more);
		return NULL;
	}
	node = llist_del_first(&spare->list);
	if (!node || atomic_dec_return(&spare->nr) < SPARE / 2)
		irq_work_queue(&more);
	if (!node)
		return NULL;
	store = llist_entry(node, struct ctr_store, spare);
	atomic_set(&store->taken, true);
	if (insert(store, task))
		return store;
	/* One was made right now: it will be there the next time. Or there is no room any more. */
	atomic_set(&store->taken, false);
	llist_add(&store->spare, &spare->list);
	atomic_inc(&spare->nr);
	return NULL;
}

unsigned int ctr_store_nr(const struct ctr_store *store)
{
	unsigned int i, nr = 0;

	for (i = 0; i < store->nr_spans; i++)
		nr += store->spans[i].nr;
	return min(nr, store->size);
}

/* All spans are in use: forget those that have no record any more, behind as many as fit. */
static void drop_covered(struct ctr_store *store)
{
	unsigned int i, nr = 0;

	for (i = 0; i < store->nr_spans && nr < store->size; i++)
		nr += store->spans[i].nr;
	store->nr_spans = i;
}

/*
 * Of two neighbours that differ in nothing but the moment, the older one's serves for both: it
 * hides more. Those with the fewest records become one, so that the oldest one ages, until those
 * before it fill the store: an event that began after its moment sees all but the oldest.
 */
static void join_smallest(struct ctr_store *store)
{
	struct ctr_span *span, *smallest = NULL, *last = &store->spans[store->nr_spans - 1];
	unsigned int nr, least = UINT_MAX;

	for (span = store->spans; span < last; span++) {
		nr = span[0].nr + span[1].nr;
		if (nr >= least || span[0].filter != span[1].filter ||
		    span[0].tells_misp != span[1].tells_misp)
			continue;
		least = nr;
		smallest = span;
	}
	if (!smallest)
		return;
	smallest->moment = smallest[1].moment;
	smallest->nr = min(least, store->size);
	store->nr_spans--;
	for (span = smallest + 1; span < last; span++)
		span[0] = span[1];
}

void ctr_store_begin_span(struct ctr_store *store, ctr_filter_t filter, u64 moment,
			  bool tells_misp, unsigned int nr)
{
	struct ctr_span *newest = store->spans;
	unsigned int i;

	/* Nothing is before what there is nothing of. */
	if (!store->nr_spans && !nr)
		return;
	/* Whoever enables an event begins a moment, which is of no matter for the others. */
	if (store->nr_spans == CTR_STORE_SPANS)
		drop_covered(store);
	if (store->nr_spans == CTR_STORE_SPANS)
		join_smallest(store);
	if (store->nr_spans < CTR_STORE_SPANS)
		store->nr_spans++;
	for (i = store->nr_spans - 1; i; i--)
		newest[i] = newest[i - 1];
	*newest = (struct ctr_span){ moment, filter, min(nr, store->size), tells_misp };
}

int ctr_store_init(unsigned int most)
{
	unsigned int i;

	limit = most;
	full_until = jiffies;
	for (i = 0; i < ARRAY_SIZE(ctr_store_buckets); i++)
		raw_spin_lock_init(&ctr_store_buckets[i].lock);
	spares = alloc_percpu(struct spare);
	shrinker = shrinker_alloc(0, "ssctr");
	if (!spares || !shrinker) {
		ctr_store_exit();
		return -ENOMEM;
	}
	shrinker->count_objects = count_for_shrinker;
	shrinker->scan_objects = shrink;
	shrinker_register(shrinker);
	return 0;
}

void ctr_store_exit(void)
{
	if (shrinker)
		shrinker_free(shrinker);
	if (spares)
		ctr_store_drop_all();
	shrinker = NULL;
	free_percpu(spares);
	spares = NULL;
}
