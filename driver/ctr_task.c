// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "ctr_hw.h"
#include "ctr_task.h"

/*
 * A tracked task's records while it is off the CPU. Only the CPU that switches the
 * task in or out touches them, and the scheduler orders these.
 */
struct ctr_kept {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	unsigned long switches;	/* of the task when they were kept */
	ctr_filter_t filter;
	unsigned int nr;
	struct ctr_entry entries[CTR_MAX_ENTRIES];
};

/* No task has been switched so often. */
#define NEVER ULONG_MAX

static DEFINE_HASHTABLE(tracked, 7);
static DEFINE_RAW_SPINLOCK(tracked_lock);	/* writers of the table */
static DEFINE_MUTEX(users_lock);
static unsigned int users;			/* branch events */
static atomic_t nr_tracked = ATOMIC_INIT(0);

static struct ctr_kept *find(const struct task_struct *task)
{
	struct ctr_kept *kept;

	hash_for_each_possible_rcu_notrace(tracked, kept, node,
					   (unsigned long)task)
		if (kept->task == task)
			return kept;
	return NULL;
}

static int add_task(const struct task_struct *task)
{
	struct ctr_kept *kept;
	unsigned long flags;
	bool known;

	rcu_read_lock();
	known = find(task);
	rcu_read_unlock();
	if (known)
		return 0;

	/* Under users_lock nobody else adds the task in between. */
	kept = kmalloc(sizeof(*kept), GFP_KERNEL);
	if (!kept)
		return -ENOMEM;
	kept->task = task;
	kept->switches = NEVER;
	raw_spin_lock_irqsave(&tracked_lock, flags);
	hash_add_rcu(tracked, &kept->node, (unsigned long)task);
	raw_spin_unlock_irqrestore(&tracked_lock, flags);
	atomic_inc(&nr_tracked);
	return 0;
}

/* Under tracked_lock. */
static void remove(struct ctr_kept *kept)
{
	hash_del_rcu(&kept->node);
	kfree_rcu(kept, rcu);
	atomic_dec(&nr_tracked);
}

int ctr_task_track(const struct task_struct *task)
{
	int err = 0;

	mutex_lock(&users_lock);
	if (task)
		err = add_task(task);
	if (!err)
		users++;
	mutex_unlock(&users_lock);
	return err;
}

void ctr_task_untrack(void)
{
	struct ctr_kept *kept;
	struct hlist_node *next;
	unsigned long flags;
	int bucket;

	mutex_lock(&users_lock);
	if (!--users) {
		/*
		 * Not with the event that began it: perf swaps events between
		 * tasks that inherited the same ones.
		 */
		raw_spin_lock_irqsave(&tracked_lock, flags);
		hash_for_each_safe(tracked, bucket, next, kept, node)
			remove(kept);
		raw_spin_unlock_irqrestore(&tracked_lock, flags);
	}
	mutex_unlock(&users_lock);
}

void ctr_task_gone(const struct task_struct *task)
{
	struct ctr_kept *kept;
	unsigned long flags;

	if (!ctr_task_any())
		return;
	raw_spin_lock_irqsave(&tracked_lock, flags);
	kept = find(task);
	if (kept)
		remove(kept);
	raw_spin_unlock_irqrestore(&tracked_lock, flags);
}

bool ctr_task_any(void)
{
	return atomic_read(&nr_tracked);
}

void ctr_task_begin(struct ctr_owner *owner, const struct task_struct *task)
{
	ctr_hw_clear();
	owner->task = task;
	owner->start = task ? task->start_boottime : 0;
}

void ctr_task_leave(struct ctr_owner *owner, const struct task_struct *prev,
		    ctr_filter_t filter, bool save)
{
	struct ctr_kept *kept;

	if (!ctr_task_owns(owner, prev))
		return;
	owner->switches = ctr_task_switches(prev);
	kept = save ? find(prev) : NULL;
	if (!kept)
		return;
	kept->nr = ctr_hw_read(kept->entries, 0, CTR_MAX_ENTRIES);
	kept->filter = filter;
	kept->switches = owner->switches;
}

/* What was kept for @task, if it has not run since. */
static struct ctr_kept *find_kept(const struct task_struct *task)
{
	struct ctr_kept *kept = ctr_task_any() ? find(task) : NULL;

	return kept && kept->switches == ctr_task_switches(task) ? kept : NULL;
}

ctr_filter_t ctr_task_kept(const struct task_struct *next)
{
	struct ctr_kept *kept = find_kept(next);

	return kept ? kept->filter : 0;
}

void ctr_task_enter(struct ctr_owner *owner, const struct task_struct *next)
{
	struct ctr_kept *kept;

	if (ctr_task_owns(owner, next) && owner->switches == ctr_task_switches(next))
		return;
	ctr_task_begin(owner, next);
	kept = find_kept(next);
	if (kept)
		ctr_hw_write(kept->entries, kept->nr);
}
