/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose records are in a hart's buffer, and where they are while their task is off
 * the CPU. A buffer always has one owner, a task or nobody, and no sample shows a
 * record of another.
 */
#ifndef CTR_TASK_H
#define CTR_TASK_H

#include <linux/sched.h>

#include "ctr_filter.h"

/*
 * No reference is held on the task: its start time tells it from a later one at
 * the same address. Its count of switches, noted when it leaves the CPU, tells
 * whether it has run elsewhere since, without leaving records here.
 */
struct ctr_owner {
	const struct task_struct *task;
	u64 start;
	unsigned long switches;
};

/* Does the buffer hold records of @task, and of nobody else? */
static inline bool ctr_task_owns(const struct ctr_owner *owner,
				 const struct task_struct *task)
{
	return owner->task == task && owner->start == task->start_boottime;
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

/* Is any task tracked? */
bool ctr_task_any(void);

/* The rest with interrupts off, on the CPU whose buffer it is. */

/* Clear the buffer and give it to @task, which is on the CPU, or to nobody (NULL). */
void ctr_task_begin(struct ctr_owner *owner, const struct task_struct *task);

/*
 * @prev leaves the CPU. With @save its records are kept if it is tracked, along
 * with @filter, by which they were recorded; user code alone was.
 */
void ctr_task_leave(struct ctr_owner *owner, const struct task_struct *prev,
		    ctr_filter_t filter, bool save);

/*
 * The filter by which the records of @next were recorded, if they were kept and
 * are the last that it did; else 0.
 */
ctr_filter_t ctr_task_kept(const struct task_struct *next);

/*
 * @next, which may own records, comes to the CPU. The buffer is left alone if it
 * holds @next's, up to the last that it did; else it is cleared, and filled with
 * what was kept for @next.
 */
void ctr_task_enter(struct ctr_owner *owner, const struct task_struct *next);

#endif
