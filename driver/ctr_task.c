// SPDX-License-Identifier: GPL-2.0-only
#include "ctr_hw.h"
#include "ctr_task.h"

bool ctr_task_take(struct ctr_owner *owner, const struct task_struct *task)
{
	if (task && ctr_task_owns(owner, task))
		return false;

	ctr_hw_clear();
	owner->task = task;
	owner->start = task ? task->start_boottime : 0;
	return true;
}

void ctr_task_forget(struct ctr_owner *owner)
{
	ctr_hw_clear();
	owner->task = NULL;
	owner->start = 0;
}
