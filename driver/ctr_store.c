// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irq_work.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "ctr_store.h"

/* Each goes from FREE to HELD and back, and at last from FREE to DEAD. */
enum { FREE, HELD, DEAD };

/* So many are ready on each CPU for tasks that come without one. */
#define SPARE	16

struct bucket {
	raw_spinlock_t lock;	/* of those who change the list */
	struct hlist_head list;
};

struct spare {
	struct llist_head list;	/* this CPU alone takes from it */
	atomic_t nr;
};

static struct bucket *buckets;
static unsigned int bucket_bits;
static struct spare __percpu *spares;
static struct shrinker *shrinker;
static unsigned int limit, depth = CTR_DEPTH_ENTRIES(0);
static atomic_t nr_stores = ATOMIC_INIT(0);

static struct bucket *bucket_of(const struct task_struct *task)
{
	return &buckets[hash_ptr(task, bucket_bits)];
}

/* With interrupts off, or under rcu_read_lock(). */
static struct ctr_store *find(const struct bucket *bucket,
			      const struct task_struct *task)
{
	struct ctr_store *store;

	hlist_for_each_entry_rcu_notrace(store, &bucket->list, node)
		if (store->task == task)
			return store;
	return NULL;
}

void ctr_store_fit(unsigned int entries)
{
	if (entries > READ_ONCE(depth))
		WRITE_ONCE(depth, entries);
}

static struct ctr_store *allocate(void)
{
	unsigned int size = READ_ONCE(depth);
	struct ctr_store *store;

	store = kmalloc(struct_size(store, entries, size), GFP_KERNEL);
	if (!store)
		return NULL;
	store->size = size;
	store->head = 0;
	store->switches = 0;
	store->nr_spans = 0;
	atomic_set(&store->state, FREE);
	return store;
}

/* Returns false if @task has one already. */
static bool insert(struct ctr_store *store, const struct task_struct *task)
{
	struct bucket *bucket = bucket_of(task);
	unsigned long flags;
	bool known;

	store->task = task;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	known = find(bucket, task);
	if (!known)
		hlist_add_head_rcu(&store->node, &bucket->list);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	if (!known)
		atomic_inc(&nr_stores);
	return !known;
}

/* Under the bucket's lock. Not one that is held: its holder looks into it. */
static bool remove(struct ctr_store *store)
{
	if (atomic_cmpxchg(&store->state, FREE, DEAD) != FREE)
		return false;
	hlist_del_rcu(&store->node);
	atomic_dec(&nr_stores);
	kfree_rcu(store, rcu);
	return true;
}

int ctr_store_make(const struct task_struct *task)
{
	struct ctr_store *store;
	bool known;

	rcu_read_lock();
	known = find(bucket_of(task), task);
	rcu_read_unlock();
	if (known || ctr_store_count() >= limit)
		return 0;
	store = allocate();
	if (!store)
		return -ENOMEM;
	if (!insert(store, task))
		kfree(store);
	return 0;
}

void ctr_store_drop(const struct task_struct *task)
{
	struct bucket *bucket = bucket_of(task);
	struct ctr_store *store;
	unsigned long flags;

	/* Most tasks have none. */
	if (hlist_empty(&bucket->list))
		return;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	store = find(bucket, task);
	if (store)
		remove(store);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/* Remove up to @nr stores, which may be of any tasks. Returns how many. */
static unsigned long remove_some(unsigned long nr)
{
	unsigned long removed = 0;
	struct ctr_store *store;
	struct hlist_node *next;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < 1U << bucket_bits && removed < nr; i++) {
		raw_spin_lock_irqsave(&buckets[i].lock, flags);
		hlist_for_each_entry_safe(store, next, &buckets[i].list, node)
			removed += remove(store);
		raw_spin_unlock_irqrestore(&buckets[i].lock, flags);
	}
	return removed;
}

unsigned int ctr_store_count(void)
{
	return atomic_read(&nr_stores);
}

static unsigned long count_for_shrinker(struct shrinker *unused,
					struct shrink_control *control)
{
	return ctr_store_count();
}

static unsigned long shrink(struct shrinker *unused,
			    struct shrink_control *control)
{
	return remove_some(control->nr_to_scan);
}

void ctr_store_prepare(void)
{
	struct ctr_store *store;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		struct spare *spare = per_cpu_ptr(spares, cpu);

		while (atomic_read(&spare->nr) < SPARE &&
		       ctr_store_count() < limit) {
			store = allocate();
			if (!store)
				return;
			atomic_inc(&spare->nr);
			llist_add(&store->spare, &spare->list);
		}
	}
}

static void prepare_more(struct work_struct *work)
{
	ctr_store_prepare();
}

/* Nothing can be allocated, nor a work be queued, in the midst of a switch. */
static DECLARE_WORK(more_work, prepare_more);

static void queue_more(struct irq_work *work)
{
	schedule_work(&more_work);
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
	cancel_work_sync(&more_work);
	drop_spares();
	remove_some(ULONG_MAX);
}

/* Counted up whenever the task leaves a CPU, before the switch is traced. */
static unsigned long switches_of(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

struct ctr_store *ctr_store_get(const struct task_struct *task)
{
	struct ctr_store *store = find(bucket_of(task), task);

	if (!store || atomic_cmpxchg(&store->state, FREE, HELD) != FREE)
		return NULL;
	if (store->switches != switches_of(task))
		ctr_store_cut(store);
	return store;
}

struct ctr_store *ctr_store_take(const struct task_struct *task)
{
	struct ctr_store *store = ctr_store_get(task);
	struct spare *spare = this_cpu_ptr(spares);
	struct llist_node *node;

	/* It may have been made since the task came. */
	if (store)
		return store;
	node = llist_del_first(&spare->list);
	if (!node || atomic_dec_return(&spare->nr) < SPARE / 2)
		irq_work_queue(&more);
	if (!node)
		return NULL;
	store = llist_entry(node, struct ctr_store, spare);
	atomic_set(&store->state, HELD);
	if (insert(store, task))
		return store;
	/* One is being made right now: it will be there the next time. */
	kfree_rcu(store, rcu);
	return NULL;
}

void ctr_store_put(struct ctr_store *store)
{
	store->switches = switches_of(store->task);
	atomic_set_release(&store->state, FREE);
}

unsigned int ctr_store_nr(const struct ctr_store *store)
{
	unsigned int i, nr = 0;

	for (i = 0; i < store->nr_spans; i++)
		nr += store->spans[i].nr;
	return min(nr, store->size);
}

void ctr_store_begin(struct ctr_store *store, const struct ctr_span *span)
{
	struct ctr_span *newest = store->spans;

	if (store->nr_spans && newest->filter == span->filter &&
	    newest->moment == span->moment &&
	    newest->tells_misp == span->tells_misp) {
		newest->nr = min(newest->nr + span->nr, store->size);
		return;
	}
	/* Nothing is before what there is nothing of. */
	if (!store->nr_spans && !span->nr)
		return;
	if (store->nr_spans < CTR_STORE_SPANS)
		store->nr_spans++;
	memmove(newest + 1, newest,
		(store->nr_spans - 1) * sizeof(*newest));
	*newest = *span;
}

int ctr_store_init(unsigned int most)
{
	unsigned int i;

	limit = most;
	/* A few tasks for each CPU are on the way at once, each with a bucket. */
	bucket_bits = ilog2(roundup_pow_of_two(max(256u, 32 * num_possible_cpus())));
	buckets = kvcalloc(1U << bucket_bits, sizeof(*buckets), GFP_KERNEL);
	spares = alloc_percpu(struct spare);
	shrinker = shrinker_alloc(0, "ssctr");
	if (!buckets || !spares || !shrinker) {
		ctr_store_exit();
		return -ENOMEM;
	}
	for (i = 0; i < 1U << bucket_bits; i++)
		raw_spin_lock_init(&buckets[i].lock);
	shrinker->count_objects = count_for_shrinker;
	shrinker->scan_objects = shrink;
	shrinker_register(shrinker);
	return 0;
}

void ctr_store_exit(void)
{
	if (shrinker)
		shrinker_free(shrinker);
	if (buckets && spares)
		ctr_store_drop_all();
	shrinker = NULL;
	free_percpu(spares);
	kvfree(buckets);
	spares = NULL;
	buckets = NULL;
}
