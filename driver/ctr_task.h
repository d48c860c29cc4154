/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose records are in a hart's buffer, and where they are while their task is off
 * the CPU. A buffer always has one owner, a task or nobody, and no sample shows a
 * record of another.
 *
 * A task that leaves a CPU has its records stay there. They are copied only when
 * the buffer passes to another owner, or when the task has come to another CPU and
 * asks for them; a task that comes back first finds them untouched.
 */
#ifndef CTR_TASK_H
#define CTR_TASK_H

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "ctr_filter.h"

/* What happened on a CPU, for those who look for a fault. */
struct ctr_counts {
	u64 samples;	/* stacks given to perf */
	u64 entries;	/* in them */
	u64 switches;	/* to another owner */
	u64 stays;	/* back to the owner, whose records were untouched */
	u64 clears;
	u64 saves;	/* copies to a task's own memory */
	u64 restores;	/* tasks that came with records */
	u64 fetches;	/* that asked another CPU for them */
	u64 thaws;
};

#define CTR_NO_CPU	(-1)
#define CTR_NO_GAP	UINT_MAX

/*
 * A tracked task's records while it is off the CPU, and the older ones of a task
 * that runs. The CPU that runs the task and one that still holds records of it may
 * meet here: what the latter changes is under the lock.
 */
struct ctr_kept {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	u64 start;
	unsigned long switches;	/* of the task when it left a CPU last */
	ctr_filter_t filter;
	int cpu;		/* whose buffer holds the newest, or CTR_NO_CPU */
	bool copied;		/* they are here as well */
	bool tells_misp;	/* all are of harts that do */
	u8 index;		/* of the newest in its buffer, if copied */
	raw_spinlock_t lock;
	unsigned int nr;
	/*
	 * The task came to another CPU before its records did: those with which it
	 * left at gap_switches belong at entries[gap].
	 */
	unsigned int gap;
	unsigned long gap_switches;
	struct ctr_entry entries[CTR_MAX_ENTRIES];
};

/*
 * Counted up when all tasks are forgotten: what is kept for a buffer's owner, while
 * that is on the CPU, is there for as long as this is the same.
 */
extern unsigned long ctr_task_era;

/*
 * One hart's buffer. No reference is held on the owner: its start time tells it from
 * a later task at the same address. Its count of switches, noted when it leaves the
 * CPU, tells whether it has run elsewhere since, without leaving records here.
 */
struct ctr_buffer {
	const struct task_struct *task;	/* the owner, or NULL */
	u64 start;
	unsigned long switches;
	struct ctr_kept *kept;	/* of an owner that is tracked, in this era */
	unsigned long era;
	pid_t pid;
	int cpu;
	unsigned int depth;	/* of the buffer, and of what is shown */
	bool held;		/* for an owner that is tracked, and has left */
	bool older;		/* what was kept for the owner comes before these */
	bool tells_misp;	/* the hart was seen to set MISP */
	struct ctr_counts counts;
	struct ctr_entry *scratch;	/* CTR_MAX_ENTRIES */
};

/* Does the buffer hold records of @task, and of nobody else? */
static inline bool ctr_task_owns(const struct ctr_buffer *buf,
				 const struct task_struct *task)
{
	return buf->task == task && buf->start == task->start_boottime;
}

/* Counted up whenever the task leaves a CPU, before the switch is traced. */
static inline unsigned long ctr_task_switches(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/*
 * Keep the records of tasks that are tracked while they are off the CPU. Each
 * branch event calls ctr_task_track() once, with the task that it follows or NULL,
 * and ctr_task_untrack() once. Process context. ctr_task_track() returns 0, or
 * -ENOMEM, and then ctr_task_untrack() is not to be called.
 */
int ctr_task_track(const struct task_struct *task);
void ctr_task_untrack(void);

/* @task is gone for good. Any context. */
void ctr_task_gone(const struct task_struct *task);

/* How many tasks are tracked? */
extern atomic_t ctr_nr_tracked;

static inline unsigned int ctr_task_tracked(void)
{
	return atomic_read(&ctr_nr_tracked);
}

/* The rest with interrupts off, on the CPU whose buffer it is. */

/* Clear the buffer and give it to @task, which is on the CPU, or to nobody (NULL). */
void ctr_task_begin(struct ctr_buffer *buf, const struct task_struct *task);

/*
 * @prev leaves the CPU. With @keep its records are its own to find again wherever
 * it comes to, if it is tracked: user code alone was recorded, with all that @filter
 * asks for. Returns whether ctr_task_leave_slowly() is to be called, too.
 */
static __always_inline bool ctr_task_leave(struct ctr_buffer *buf,
					   const struct task_struct *prev,
					   ctr_filter_t filter, bool keep)
{
	struct ctr_kept *kept = buf->kept;

	if (!ctr_task_owns(buf, prev))
		return false;
	buf->switches = ctr_task_switches(prev);
	if (!keep || !kept || buf->era != READ_ONCE(ctr_task_era))
		return false;

	/* No other CPU writes these of a task that is on this one. */
	WRITE_ONCE(kept->switches, buf->switches);
	WRITE_ONCE(kept->cpu, buf->cpu);
	kept->filter = filter;
	kept->copied = false;
	buf->held = true;
	return !buf->older || (filter & CTR_FILTER_CALL_STACK) ||
	       READ_ONCE(kept->gap) != CTR_NO_GAP;
}

void ctr_task_leave_slowly(struct ctr_buffer *buf);

/*
 * Does @next come back to records that it left here, and are they the last that it
 * did? Then they are its own again, and nothing else is to be done.
 */
static __always_inline bool ctr_task_stays(struct ctr_buffer *buf,
					   const struct task_struct *next)
{
	struct ctr_kept *kept = buf->kept;

	if (!ctr_task_owns(buf, next) ||
	    buf->switches != ctr_task_switches(next))
		return false;
	if (kept && buf->era == READ_ONCE(ctr_task_era)) {
		/* Not held: what was left here is elsewhere by now. */
		if (!buf->held && kept->switches == buf->switches)
			return false;
		WRITE_ONCE(kept->cpu, CTR_NO_CPU);
	}
	buf->held = false;
	buf->counts.stays++;
	return true;
}

/*
 * What was kept for @next, which comes to the CPU, if it is the last that it did;
 * else NULL. *@filter is the one by which it was recorded, or 0. Valid until
 * interrupts are on again.
 */
struct ctr_kept *ctr_task_kept(const struct task_struct *next,
			       ctr_filter_t *filter);

/*
 * @next, which may own records and does not ctr_task_stays(), comes to the CPU with
 * what ctr_task_kept() returned for it. The buffer is cleared. What was kept for a
 * call stack is put back into it, as the hart will go on with it; what was kept of
 * transfers stays where it is, for ctr_task_older().
 *
 * Returns a CPU whose buffer still holds records of @next: it is to be asked to
 * ctr_task_release() them. CTR_NO_CPU otherwise.
 */
int ctr_task_enter(struct ctr_buffer *buf, const struct task_struct *next,
		   struct ctr_kept *kept);

/* Copy what is held in the buffer for a task that left. */
void ctr_task_release(struct ctr_buffer *buf);

/*
 * Copy to @entries what the owner, which is on the CPU, did before the oldest record
 * in the buffer, newest first. Returns the number, at most @max; *@tells_misp says
 * whether all of them come from harts that set MISP.
 */
unsigned int ctr_task_older(const struct ctr_buffer *buf,
			    struct ctr_entry *entries, unsigned int max,
			    bool *tells_misp);

#endif
