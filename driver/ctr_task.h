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

#include <linux/sched.h>

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

/*
 * One hart's buffer. No reference is held on the owner: its start time tells it from
 * a later task at the same address. Its count of switches, noted when it leaves the
 * CPU, tells whether it has run elsewhere since, without leaving records here.
 */
struct ctr_buffer {
	const struct task_struct *task;	/* the owner, or NULL */
	u64 start;
	unsigned long switches;
	pid_t pid;
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
 * asks for.
 */
void ctr_task_leave(struct ctr_buffer *buf, const struct task_struct *prev,
		    ctr_filter_t filter, bool keep);

/* What is kept for a task. Valid until interrupts are on again. */
struct ctr_kept;

/*
 * What was kept for @next, which comes to the CPU, if it is the last that it did;
 * else NULL. *@filter is the one by which it was recorded, or 0.
 */
struct ctr_kept *ctr_task_kept(const struct task_struct *next,
			       ctr_filter_t *filter);

/* What ctr_task_enter() has no CPU to ask for. */
#define CTR_NO_CPU	(-1)

/*
 * @next, which may own records, comes to the CPU with what ctr_task_kept() returned
 * for it. The buffer is left alone if it
 * holds @next's, up to the last that it did; else it is cleared. What was kept for
 * a call stack is put back into it, as the hart will go on with it; what was kept
 * of transfers stays where it is, for ctr_task_older().
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
