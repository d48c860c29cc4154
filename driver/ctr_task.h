/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose records are in a hart's buffer. It always has one owner, a task or
 * nobody, and no sample shows a record of another.
 */
#ifndef CTR_TASK_H
#define CTR_TASK_H

#include <linux/sched.h>

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

/* All with interrupts off. */

/* Clear the buffer and give it to @task, which is on the CPU, or to nobody (NULL). */
void ctr_task_begin(struct ctr_owner *owner, const struct task_struct *task);

/* @prev leaves the CPU; called at every switch of a CPU that records. */
void ctr_task_leave(struct ctr_owner *owner, const struct task_struct *prev);

/*
 * @next, which may own records, comes after it: the buffer is cleared, unless what
 * it holds is @next's, and the last that @next did.
 */
void ctr_task_switch(struct ctr_owner *owner, const struct task_struct *next);

#endif
