// SPDX-License-Identifier: GPL-2.0-only
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ctr_hw.h"
#include "ctr_task.h"
#include "ctr_trace.h"

/* No task has been switched so often. */
#define NEVER	ULONG_MAX

static DEFINE_HASHTABLE(tracked, 7);
static DEFINE_RAW_SPINLOCK(tracked_lock);	/* writers of the table */
static DEFINE_MUTEX(users_lock);
static unsigned int users;			/* branch events */
unsigned long ctr_task_era;
atomic_t ctr_nr_tracked = ATOMIC_INIT(0);

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
	kept->start = task->start_boottime;
	raw_spin_lock_init(&kept->lock);
	kept->switches = NEVER;
	kept->cpu = CTR_NO_CPU;
	kept->nr = 0;
	kept->gap = CTR_NO_GAP;
	raw_spin_lock_irqsave(&tracked_lock, flags);
	hash_add_rcu(tracked, &kept->node, (unsigned long)task);
	raw_spin_unlock_irqrestore(&tracked_lock, flags);
	atomic_inc(&ctr_nr_tracked);
	return 0;
}

/* Under tracked_lock. */
static void remove(struct ctr_kept *kept)
{
	hash_del_rcu(&kept->node);
	kfree_rcu(kept, rcu);
	atomic_dec(&ctr_nr_tracked);
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
		WRITE_ONCE(ctr_task_era, ctr_task_era + 1);
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

	if (!ctr_task_tracked())
		return;
	raw_spin_lock_irqsave(&tracked_lock, flags);
	kept = find(task);
	if (kept)
		remove(kept);
	raw_spin_unlock_irqrestore(&tracked_lock, flags);
}

/*
 * Read the buffer and put it at kept->entries[at], before what is there, as far as
 * that will be shown. Returns how many there were.
 */
static unsigned int copy(struct ctr_buffer *buf, struct ctr_kept *kept,
			 unsigned int at)
{
	unsigned int room = buf->depth - min(at, buf->depth);
	unsigned int older = kept->nr - at;
	unsigned int nr = ctr_hw_read(buf->scratch, room);

	older = min(older, room - nr);
	memmove(&kept->entries[at + nr], &kept->entries[at],
		older * sizeof(*kept->entries));
	memcpy(&kept->entries[at], buf->scratch, nr * sizeof(*kept->entries));
	kept->tells_misp = buf->tells_misp && (!kept->nr || kept->tells_misp);
	kept->nr = at + nr + older;
	buf->counts.saves++;
	trace_ssctr_save(buf->pid, nr, kept->nr);
	return nr;
}

void ctr_task_release(struct ctr_buffer *buf)
{
	struct ctr_kept *kept;

	if (!buf->held)
		return;
	buf->held = false;
	kept = find(buf->task);
	if (!kept || kept->start != buf->start)
		return;

	raw_spin_lock(&kept->lock);
	if (READ_ONCE(kept->cpu) == buf->cpu &&
	    READ_ONCE(kept->switches) == buf->switches) {
		if (!kept->copied)
			copy(buf, kept, 0);
		kept->cpu = CTR_NO_CPU;
	} else if (kept->gap != CTR_NO_GAP && kept->gap_switches == buf->switches) {
		copy(buf, kept, kept->gap);
		kept->gap = CTR_NO_GAP;
	}
	raw_spin_unlock(&kept->lock);
}

void ctr_task_begin(struct ctr_buffer *buf, const struct task_struct *task)
{
	ctr_task_release(buf);
	ctr_hw_clear();
	buf->task = task;
	buf->start = task ? task->start_boottime : 0;
	buf->pid = task ? task->pid : 0;
	buf->kept = task && ctr_task_tracked() ? find(task) : NULL;
	buf->era = READ_ONCE(ctr_task_era);
	buf->older = false;
	buf->counts.clears++;
	trace_ssctr_clear(buf->pid);
}

void ctr_task_leave_slowly(struct ctr_buffer *buf)
{
	struct ctr_kept *kept = buf->kept;

	raw_spin_lock(&kept->lock);
	if (!buf->older) {
		kept->nr = 0;
		kept->gap = CTR_NO_GAP;
		buf->older = true;
	}
	if (kept->filter & CTR_FILTER_CALL_STACK) {
		/* Without what came before, returns would lead nowhere. */
		copy(buf, kept, 0);
		kept->index = ctr_hw_index(CTR_MAX_ENTRIES);
		kept->copied = true;
	} else if (kept->gap != CTR_NO_GAP) {
		/* There is one gap, not two. */
		kept->gap = min(kept->gap + copy(buf, kept, 0), kept->nr);
		kept->cpu = CTR_NO_CPU;
		buf->held = false;
	}
	raw_spin_unlock(&kept->lock);
}

struct ctr_kept *ctr_task_kept(const struct task_struct *next,
			       ctr_filter_t *filter)
{
	struct ctr_kept *kept = NULL;

	/* Who has no events is not tracked either. */
	if (next->perf_event_ctxp && ctr_task_tracked())
		kept = find(next);
	if (!kept || kept->switches != ctr_task_switches(next)) {
		*filter = 0;
		return NULL;
	}
	*filter = kept->filter;
	return kept;
}

int ctr_task_enter(struct ctr_buffer *buf, const struct task_struct *next,
		   struct ctr_kept *kept)
{
	int ask = CTR_NO_CPU;

	ctr_task_begin(buf, next);
	buf->counts.switches++;
	if (!kept)
		return CTR_NO_CPU;

	raw_spin_lock(&kept->lock);
	if (kept->cpu != CTR_NO_CPU && !kept->copied) {
		ask = kept->cpu;
		kept->gap = 0;
		kept->gap_switches = kept->switches;
		buf->counts.fetches++;
	}
	kept->cpu = CTR_NO_CPU;
	if (kept->filter & CTR_FILTER_CALL_STACK) {
		ctr_hw_set_index(kept->index);
		ctr_hw_write(kept->entries, kept->nr);
	} else {
		buf->older = true;
	}
	buf->counts.restores++;
	trace_ssctr_restore(buf->pid, kept->nr, ask);
	raw_spin_unlock(&kept->lock);
	return ask;
}

unsigned int ctr_task_older(const struct ctr_buffer *buf,
			    struct ctr_entry *entries, unsigned int max,
			    bool *tells_misp)
{
	struct ctr_kept *kept = buf->older ? find(buf->task) : NULL;
	unsigned int nr;

	/* Another one, if all events were closed and others opened since. */
	if (!kept || kept->switches == NEVER)
		return 0;

	raw_spin_lock(&kept->lock);
	nr = min3(kept->nr, kept->gap, max);
	memcpy(entries, kept->entries, nr * sizeof(*entries));
	*tells_misp = kept->tells_misp;
	raw_spin_unlock(&kept->lock);
	return nr;
}
