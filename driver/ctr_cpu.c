// SPDX-License-Identifier: GPL-2.0-only
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctr_cpu.h"
#include "ctr_task.h"

/* No hart has more counters, so no more events are active at once. */
#define MAX_EVENTS 64

/* An event that left no CPU with its task. No task has been switched so often. */
#define NEVER_LEFT U64_MAX

struct ctr_cpu {
	unsigned int nr_events;
	bool online;			/* the hart was probed, and is usable */
	ctr_filter_t filter;		/* what the active events want together */
	ctr_filter_t expected;		/* what those of this task will want */
	u64 ctl;			/* what sctrctl holds */
	struct ctr_hw hw;
	struct ctr_owner owner;
	const struct task_struct *left;	/* the last that was here; not to follow */
	bool entered;			/* the owner's records are as it left them */
	unsigned int index;		/* of the newest of these */
	struct perf_branch_stack *stack;/* what the last reader was given */
	struct ctr_entry *raw;
	struct {
		struct perf_event *event;
		ctr_filter_t filter;
	} active[MAX_EVENTS];
};

static struct ctr_cpu __percpu *ctr_cpus;

void ctr_cpu_event_init(struct perf_event *event)
{
	event->hw.extra_reg.config = NEVER_LEFT;
}

int ctr_cpu_init(void)
{
	int cpu;

	ctr_cpus = alloc_percpu(struct ctr_cpu);
	if (!ctr_cpus)
		return -ENOMEM;

	for_each_possible_cpu(cpu) {
		struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);
		int node = cpu_to_node(cpu);

		cc->raw = kcalloc_node(CTR_MAX_ENTRIES, sizeof(*cc->raw),
				       GFP_KERNEL, node);
		cc->stack = kzalloc_node(struct_size(cc->stack, entries,
						     CTR_MAX_ENTRIES),
					 GFP_KERNEL, node);
		if (!cc->raw || !cc->stack) {
			ctr_cpu_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void ctr_cpu_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

		kfree(cc->raw);
		kfree(cc->stack);
	}
	free_percpu(ctr_cpus);
	ctr_cpus = NULL;
}

/*
 * A kernel thread runs no user code: while only that is recorded, the buffer stays
 * with the task before it.
 */
static bool may_own(const struct ctr_cpu *cc, const struct task_struct *task)
{
	return (cc->filter & CTR_FILTER_S) || !(task->flags & PF_KTHREAD);
}

/* Make the hart record what the active events want together. */
static void ctr_cpu_apply(struct ctr_cpu *cc)
{
	ctr_filter_t filter = cc->expected;
	unsigned int i;
	u64 ctl;

	for (i = 0; i < cc->nr_events; i++)
		filter |= cc->active[i].filter;
	cc->filter = filter;

	ctl = cc->online ? ctr_filter_sctrctl(filter, cc->hw.writable) : 0;
	if (ctl == cc->ctl)
		return;
	/*
	 * What is in the buffer stays there: whoever owns it may come back, and
	 * nobody else is shown it.
	 */
	ctr_hw_control(ctl);
	cc->ctl = ctl;
}

enum ctr_hw_fault ctr_cpu_online(unsigned int max_depth)
{
	struct ctr_cpu *cc;
	enum ctr_hw_fault fault;
	unsigned long flags;

	local_irq_save(flags);
	cc = this_cpu_ptr(ctr_cpus);
	fault = ctr_hw_probe(&cc->hw, max_depth);
	cc->online = fault == CTR_HW_OK;
	cc->ctl = 0;
	cc->owner = (struct ctr_owner){};
	/* Events may have come before this. */
	ctr_cpu_apply(cc);
	local_irq_restore(flags);
	return fault;
}

void ctr_cpu_offline(void)
{
	struct ctr_cpu *cc;
	unsigned long flags;

	local_irq_save(flags);
	cc = this_cpu_ptr(ctr_cpus);
	if (cc->online)
		ctr_hw_reset(&cc->hw);
	cc->online = false;
	cc->ctl = 0;
	local_irq_restore(flags);
}

void ctr_cpu_resume(void)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (!cc->online)
		return;
	ctr_hw_reset(&cc->hw);
	ctr_hw_control(cc->ctl);
	cc->owner = (struct ctr_owner){};
}

unsigned int ctr_cpu_depth(unsigned int cpu)
{
	const struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

	return cc->online ? cc->hw.depth : 0;
}

/*
 * What a task did before its event was enabled is not the event's to see; what it
 * did before both left a CPU together is. With which switch of its task an event
 * left is noted where the PMU below keeps nothing.
 */
static void leave_with_task(struct ctr_cpu *cc, struct perf_event *event)
{
	const struct task_struct *task = event->ctx->task;

	event->hw.extra_reg.config = task && task == cc->left ?
				     ctr_task_switches(task) : NEVER_LEFT;
}

/*
 * perf adds an event that comes back with its task before the task goes on, and so
 * before another record is made.
 */
static bool comes_with_task(struct ctr_cpu *cc, struct perf_event *event)
{
	return event->hw.extra_reg.config == ctr_task_switches(current) &&
	       cc->entered && !(cc->filter & CTR_FILTER_S) &&
	       cc->index == ctr_hw_index(cc->hw.depth);
}

/*
 * Who makes the next records here. perf changes the events of control groups in
 * the midst of a switch, when the task that leaves is still the current one.
 */
static const struct task_struct *running(const struct ctr_cpu *cc)
{
	if (current == cc->left)
		return cc->entered ? cc->owner.task : NULL;
	return may_own(cc, current) ? current : NULL;
}

int ctr_cpu_add(struct perf_event *event, ctr_filter_t filter)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (WARN_ON_ONCE(cc->nr_events >= MAX_EVENTS))
		return -ENOSPC;

	cc->active[cc->nr_events].event = event;
	cc->active[cc->nr_events].filter = filter;
	cc->nr_events++;
	ctr_cpu_apply(cc);
	if (!cc->online)
		return 0;
	/* A frozen buffer may have nobody else to thaw it. */
	ctr_hw_thaw();
	if (!comes_with_task(cc, event))
		ctr_task_begin(&cc->owner, running(cc));
	return 0;
}

void ctr_cpu_del(struct perf_event *event)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	unsigned int i;

	for (i = 0; i < cc->nr_events; i++) {
		if (cc->active[i].event != event)
			continue;
		cc->active[i] = cc->active[--cc->nr_events];
		leave_with_task(cc, event);
		ctr_cpu_apply(cc);
		return;
	}
}

void ctr_cpu_switch(struct task_struct *prev, struct task_struct *next)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	/* Noted at every switch: neither may be older than the last. */
	cc->left = prev;
	cc->entered = false;
	if (likely(!cc->ctl && !ctr_task_any()))
		return;
	if (!cc->online)
		return;

	/*
	 * With kernel code recorded too, the switch itself leaves more records
	 * than there is room for: nothing is kept then.
	 */
	if (cc->ctl)
		ctr_task_leave(&cc->owner, prev, cc->filter,
			       cc->nr_events && !(cc->filter & CTR_FILTER_S));

	/*
	 * perf removes the events of @prev after this and adds those of @next,
	 * or swaps them without a word. Recording goes on from here for what
	 * @next is known to want, so that nothing of it is missed until then.
	 */
	cc->expected = ctr_task_kept(next);
	ctr_cpu_apply(cc);
	if (!cc->ctl || !may_own(cc, next))
		return;
	ctr_task_enter(&cc->owner, next);
	cc->entered = true;
	cc->index = ctr_hw_index(cc->hw.depth);
}

void ctr_cpu_exec(void)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (likely(!cc->ctl))
		return;
	ctr_task_begin(&cc->owner, current);
	cc->entered = false;
}

bool ctr_cpu_freezes(void)
{
	return this_cpu_ptr(ctr_cpus)->ctl & CTR_CTL_LCOFIFRZ;
}

void ctr_cpu_overflow_done(void)
{
	if (ctr_hw_frozen())
		ctr_hw_thaw();
}

/*
 * Is the instruction at @pc of the current task an ecall? An exception's record
 * does not say its cause. No page is faulted in for this: false then.
 */
static bool is_ecall(u64 pc)
{
	u32 insn;

	if (!current->mm || pc >> 63)
		return false;
	return !copy_from_user_nofault(&insn, (const void __user *)pc,
				       sizeof(insn)) && insn == 0x73;
}

/* Append to @stack those of @nr records that an event with @filter is shown. */
static void append(struct perf_branch_stack *stack, struct ctr_entry *raw,
		   unsigned int nr, ctr_filter_t filter)
{
	unsigned int i;
	bool ecall;

	for (i = 0; i < nr; i++) {
		if (!ctr_filter_pass(filter, &raw[i]))
			continue;
		ecall = ctr_entry_type(&raw[i]) == CTR_TYPE_EXCEPTION &&
			is_ecall(ctr_entry_from(&raw[i]));
		ctr_entry_to_perf(&raw[i], ecall,
				  &stack->entries[stack->nr++]);
	}
}

struct perf_branch_stack *ctr_cpu_read(struct perf_event *event,
				       ctr_filter_t filter)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	struct perf_branch_stack *stack = cc->stack;
	unsigned int first, nr, want, max = cc->hw.depth;

	if (!cc->ctl)
		return NULL;

	/*
	 * An overflow that was noticed without a trap of its own, behind another
	 * interrupt, froze nothing ("Freeze"). Thawed as all are, when the
	 * interrupt is done.
	 */
	if (cc->ctl & CTR_CTL_S)
		ctr_hw_freeze();

	stack->nr = 0;
	stack->hw_idx = ctr_hw_index(cc->hw.depth);
	/* A kernel thread's sample is not shown what user code did before it. */
	if (!ctr_task_owns(&cc->owner, current))
		return stack;

	/* Newer kernels cut the stack to what its reader said it can take. */
	if (event->attr.sample_max_stack)
		max = min_t(unsigned int, max, event->attr.sample_max_stack);
	/* No more are read than can be shown: each costs a few CSR accesses. */
	for (first = 0; stack->nr < max && first < cc->hw.depth; first += nr) {
		want = min_t(unsigned int, max - stack->nr,
			     cc->hw.depth - first);
		nr = ctr_hw_read(cc->raw, first, want);
		append(stack, cc->raw, nr, filter);
		if (nr < want)
			break;
	}
	return stack;
}
