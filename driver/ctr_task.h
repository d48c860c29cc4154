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
 * the same address.
 */
struct ctr_owner {
	const struct task_struct *task;
	u64 start;
};

/* Does the buffer hold records of @task, and of nobody else? */
static inline bool ctr_task_owns(const struct ctr_owner *owner,
				 const struct task_struct *task)
{
	return owner->task == task && owner->start == task->start_boottime;
}

/*
 * Give the buffer to @task, or to nobody (NULL): what it held is cleared unless
 * it was @task's already. Interrupts off. Returns true if it was cleared.
 */
bool ctr_task_take(struct ctr_owner *owner, const struct task_struct *task);

/* Clear what the owner has recorded so far: it becomes another program. */
void ctr_task_forget(struct ctr_owner *owner);

#endif
