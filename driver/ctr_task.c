// SPDX-License-Identifier: GPL-2.0-only
#include "ctr_hw.h"
#include "ctr_task.h"

/* Counted up whenever the task leaves a CPU, before the switch is traced. */
static unsigned long switches(const struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

void ctr_task_begin(struct ctr_owner *owner, const struct task_struct *task)
{
	ctr_hw_clear();
	owner->task = task;
	owner->start = task ? task->start_boottime : 0;
}

void ctr_task_leave(struct ctr_owner *owner, const struct task_struct *prev)
{
	if (ctr_task_owns(owner, prev))
		owner->switches = switches(prev);
}

void ctr_task_switch(struct ctr_owner *owner, const struct task_struct *next)
{
	if (!ctr_task_owns(owner, next) || owner->switches != switches(next))
		ctr_task_begin(owner, next);
}
