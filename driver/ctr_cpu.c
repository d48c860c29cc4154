// SPDX-License-Identifier: GPL-2.0-only
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "ctr_cpu.h"
#include "ctr_trace.h"
#include "ctr_view.h"

/* No hart has more counters, so no more events are active at once. */
#define MAX_EVENTS 64

/* An event that left no CPU with its task. No task has been switched so often. */
#define NEVER_LEFT U64_MAX

struct ctr_cpu {
	unsigned int nr_events;
	bool online;			/* the hart was probed, and is usable */
	ctr_filter_t active_filter;	/* what the active events want together */
	ctr_filter_t expected;		/* what those of this task will want */
	ctr_filter_t filter;		/* both */
	u64 ctl;			/* what sctrctl holds */
	struct ctr_hw hw;
	struct ctr_buffer buffer;
	const struct task_struct *left;	/* the last that was here; not to follow */
	bool entered;			/* the owner is the task after that */
	bool untouched;			/* its records are as it left them */
	unsigned int index;		/* of the newest of these */
	struct perf_branch_stack *stack;/* what the last reader was given */
	struct ctr_view view;		/* and how it looked at it */
	bool saw_misp;			/* a record of that stack had MISP */
	call_single_data_t release;	/* others ask for what this CPU holds */
	struct {
		struct perf_event *event;
		ctr_filter_t filter;
	} active[MAX_EVENTS];
};

static struct ctr_cpu __percpu *ctr_cpus;

/* Are the probes there that tell who runs? */
static bool recording;

void ctr_cpu_event_init(struct perf_event *event)
{
	event->hw.extra_reg.config = NEVER_LEFT;
}

/* On the CPU that was asked. */
static void release(void *data)
{
	struct ctr_cpu *cc = data;

	if (cc->online)
		ctr_task_release(&cc->buffer);
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

		INIT_CSD(&cc->release, release, cc);
		cc->buffer.scratch = kcalloc_node(CTR_MAX_ENTRIES,
						  sizeof(struct ctr_entry),
						  GFP_KERNEL, node);
		cc->stack = kzalloc_node(struct_size(cc->stack, entries,
						     CTR_MAX_ENTRIES),
					 GFP_KERNEL, node);
		if (!cc->buffer.scratch || !cc->stack) {
			ctr_cpu_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

static void nothing(void *data)
{
}

void ctr_cpu_exit(void)
{
	int cpu;

	/* Nobody asks any more, and calls to a CPU are taken in their order. */
	on_each_cpu(nothing, NULL, true);
	for_each_possible_cpu(cpu) {
		struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

		kfree(cc->buffer.scratch);
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

/* Make the hart record by @filter. */
static void set_filter(struct ctr_cpu *cc, ctr_filter_t filter)
{
	u64 ctl = 0;

	if (cc->online && READ_ONCE(recording))
		ctl = ctr_filter_sctrctl(filter, cc->hw.writable);
	cc->filter = filter;
	if (ctl == cc->ctl)
		return;
	/*
	 * What is in the buffer stays there: whoever owns it may come back, and
	 * nobody else is shown it.
	 */
	ctr_hw_control(ctl);
	cc->ctl = ctl;
}

/* Make it record what is wanted now. */
static void ctr_cpu_apply(struct ctr_cpu *cc)
{
	ctr_filter_t filter = cc->expected | cc->active_filter;

	if (filter != cc->filter)
		set_filter(cc, filter);
}

static void update_active(struct ctr_cpu *cc)
{
	ctr_filter_t filter = 0;
	unsigned int i;

	for (i = 0; i < cc->nr_events; i++)
		filter |= cc->active[i].filter;
	cc->active_filter = filter;
	ctr_cpu_apply(cc);
}

enum ctr_hw_fault ctr_cpu_online(unsigned int max_depth)
{
	struct ctr_cpu *cc;
	enum ctr_hw_fault fault;
	unsigned long flags;

	local_irq_save(flags);
	cc = this_cpu_ptr(ctr_cpus);
	fault = ctr_hw_probe(&cc->hw, max_depth);
	/* Others read it. */
	WRITE_ONCE(cc->online, fault == CTR_HW_OK);
	cc->ctl = 0;
	cc->buffer.task = NULL;
	cc->buffer.held = false;
	cc->buffer.cpu = smp_processor_id();
	cc->buffer.depth = cc->hw.depth;
	cc->left = NULL;
	cc->expected = 0;
	/* Events may have come before this. */
	set_filter(cc, cc->active_filter);
	local_irq_restore(flags);
	return fault;
}

void ctr_cpu_offline(void)
{
	struct ctr_cpu *cc;
	unsigned long flags;

	local_irq_save(flags);
	cc = this_cpu_ptr(ctr_cpus);
	if (cc->online) {
		ctr_task_release(&cc->buffer);
		ctr_hw_reset(&cc->hw);
	}
	WRITE_ONCE(cc->online, false);
	cc->ctl = 0;
	local_irq_restore(flags);
}

void ctr_cpu_suspend(void)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (cc->online)
		ctr_task_release(&cc->buffer);
}

void ctr_cpu_resume(void)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (!cc->online)
		return;
	ctr_hw_reset(&cc->hw);
	ctr_hw_control(cc->ctl);
	cc->buffer.task = NULL;
	cc->buffer.held = false;
}

unsigned int ctr_cpu_depth(unsigned int cpu)
{
	const struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

	return READ_ONCE(cc->online) ? cc->hw.depth : 0;
}

bool ctr_cpu_serves(unsigned int cpu, ctr_filter_t filter)
{
	const struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

	return READ_ONCE(cc->online) &&
	       ctr_filter_sctrctl(filter, cc->hw.writable);
}

void ctr_cpu_state(unsigned int cpu, struct ctr_cpu_state *state)
{
	const struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

	state->depth = ctr_cpu_depth(cpu);
	state->writable = cc->hw.writable;
	/* The CPU goes on meanwhile. */
	state->ctl = data_race(cc->ctl);
	state->nr_events = data_race(cc->nr_events);
	data_race(state->counts = cc->buffer.counts);
}

/*
 * What a task did before its event was enabled is not the event's to see; what it
 * did before both left a CPU together is. With which switch of its task an event
 * left is noted where the PMU below keeps nothing.
 */
static void leave_with_task(struct ctr_cpu *cc, struct perf_event *event)
{
	const struct task_struct *task = event->ctx->task;

	if (task && task == cc->left) {
		event->hw.extra_reg.config = ctr_task_switches(task);
	} else {
		event->hw.extra_reg.config = NEVER_LEFT;
		/* This one is not to be expected any more. */
		cc->expected = 0;
	}
}

/*
 * perf adds an event that comes back with its task before the task goes on, and so
 * before another record is made.
 */
static bool comes_with_task(struct ctr_cpu *cc, struct perf_event *event)
{
	return event->hw.extra_reg.config == ctr_task_switches(current) &&
	       cc->untouched && !(cc->filter & CTR_FILTER_S) &&
	       cc->index == ctr_hw_index(cc->hw.depth);
}

/*
 * Who makes the next records here. perf changes the events of control groups in
 * the midst of a switch, when the task that leaves is still the current one.
 */
static const struct task_struct *running(const struct ctr_cpu *cc)
{
	if (current == cc->left)
		return cc->entered ? cc->buffer.task : NULL;
	return may_own(cc, current) ? current : NULL;
}

/* Records from here on only, and for the active events only. */
static void begin(struct ctr_cpu *cc, const struct task_struct *task)
{
	cc->expected = 0;
	ctr_cpu_apply(cc);
	ctr_task_begin(&cc->buffer, task);
	cc->untouched = false;
}

/* On each CPU: what it knows of tasks is of before. */
static void start_anew(void *data)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	cc->left = NULL;
	if (!cc->online)
		return;
	set_filter(cc, cc->active_filter);
	begin(cc, running(cc));
}

void ctr_cpu_record(bool on)
{
	WRITE_ONCE(recording, on);
	on_each_cpu(start_anew, NULL, true);
}

int ctr_cpu_add(struct perf_event *event, ctr_filter_t filter)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (WARN_ON_ONCE(cc->nr_events >= MAX_EVENTS))
		return -ENOSPC;
	/* Active events fit each other. */
	if (cc->nr_events && !ctr_filter_fit(cc->active[0].filter, filter))
		return -EAGAIN;
	if (!ctr_filter_fit(cc->expected, filter))
		cc->expected = 0;

	cc->active[cc->nr_events].event = event;
	cc->active[cc->nr_events].filter = filter;
	cc->nr_events++;
	update_active(cc);
	if (!cc->online)
		return 0;
	/* A frozen buffer may have nobody else to thaw it. */
	if (cc->ctl & CTR_CTL_LCOFIFRZ)
		ctr_hw_thaw();
	if (!comes_with_task(cc, event))
		begin(cc, running(cc));
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
		update_active(cc);
		return;
	}
}

/* If this is still under way from before, it will do for both. */
static void ask_for_release(int cpu)
{
	struct ctr_cpu *cc = per_cpu_ptr(ctr_cpus, cpu);

	smp_call_function_single_async(cpu, &cc->release);
}

/* Does @filter fit the events that stay, whatever task comes? */
static bool fits_cpu(const struct ctr_cpu *cc, ctr_filter_t filter)
{
	unsigned int i;

	for (i = 0; i < cc->nr_events; i++)
		if (!cc->active[i].event->ctx->task &&
		    !ctr_filter_fit(cc->active[i].filter, filter))
			return false;
	return true;
}

/*
 * With kernel code recorded too, the switch itself leaves more records than there
 * is room for: nothing is kept then.
 */
static __always_inline bool leave(struct ctr_cpu *cc, struct task_struct *prev)
{
	return ctr_task_leave(&cc->buffer, prev, cc->active_filter,
			      cc->nr_events && !(cc->filter & CTR_FILTER_S));
}

/* The buffer is that of the task that comes, as it left it. */
static __always_inline void entered(struct ctr_cpu *cc)
{
	cc->entered = true;
	cc->untouched = true;
	cc->index = ctr_hw_index(cc->hw.depth);
}

static void change_owner(struct ctr_cpu *cc, struct task_struct *prev,
			 struct task_struct *next)
{
	struct ctr_kept *kept;
	int ask;

	if (cc->ctl && leave(cc, prev))
		ctr_task_leave_slowly(&cc->buffer);

	/*
	 * perf removes the events of @prev after this and adds those of @next,
	 * or swaps them without a word. Recording goes on from here for what
	 * @next is known to want, so that nothing of it is missed until then.
	 */
	kept = ctr_task_kept(next, &cc->expected);
	if (!fits_cpu(cc, cc->expected)) {
		kept = NULL;
		cc->expected = 0;
	}
	ctr_cpu_apply(cc);
	if (!cc->ctl)
		return;

	if (!ctr_task_stays(&cc->buffer, next)) {
		ask = ctr_task_enter(&cc->buffer, next, kept);
		if (ask != CTR_NO_CPU)
			ask_for_release(ask);
	}
	entered(cc);
}

/*
 * What is frequent: a switch between tasks that nobody records, and one to a kernel
 * thread or back. Returns false if more is to be done than that.
 */
static __always_inline bool switch_quickly(struct ctr_cpu *cc,
					   struct task_struct *prev,
					   struct task_struct *next)
{
	/* Noted at every switch: neither may be older than the last. */
	cc->left = prev;
	cc->entered = false;
	cc->untouched = false;

	/* Who has no events has no records either. */
	if (likely(!cc->ctl))
		return !ctr_task_tracked() || !next->perf_event_ctxp;
	/*
	 * One that cannot own records makes none: all stays as it is, until
	 * another comes.
	 */
	if (!may_own(cc, next)) {
		cc->expected = cc->filter;
		return !leave(cc, prev);
	}
	/* Back from there, and nothing was changed meanwhile. */
	if (may_own(cc, prev) || !ctr_task_stays(&cc->buffer, next))
		return false;
	entered(cc);
	return true;
}

static noinline void switch_slowly(struct ctr_cpu *cc, struct task_struct *prev,
				   struct task_struct *next)
{
	if (cc->ctl && !may_own(cc, next))
		ctr_task_leave_slowly(&cc->buffer);
	else if (cc->online)
		change_owner(cc, prev, next);
}

void notrace ctr_cpu_sched_switch(void *data, bool preempt,
				  struct task_struct *prev,
				  struct task_struct *next,
				  unsigned int prev_state)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (unlikely(!switch_quickly(cc, prev, next)))
		switch_slowly(cc, prev, next);
}

void ctr_cpu_exec(void)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (likely(!cc->ctl))
		return;
	begin(cc, current);
}

static noinline void thaw_after(struct ctr_cpu *cc,
				const struct irqaction *action)
{
	if (!action->name || strcmp(action->name, "riscv-pmu") ||
	    !ctr_hw_frozen())
		return;
	ctr_hw_thaw();
	cc->buffer.counts.thaws++;
}

void notrace ctr_cpu_irq_handler_exit(void *data, int irq,
				      struct irqaction *action, int ret)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);

	if (unlikely(cc->ctl & CTR_CTL_LCOFIFRZ))
		thaw_after(cc, action);
}

/* Read the parcel of code at @pc, without faulting a page in. */
static bool read_code(u64 pc, u16 *parcel)
{
	if (pc >> 63)
		return !copy_from_kernel_nofault(parcel, (const void *)pc,
						 sizeof(*parcel));
	return current->mm &&
	       !copy_from_user_nofault(parcel, (const void __user *)pc,
				       sizeof(*parcel));
}

/* The cause of the exception that the instruction at @pc raised. */
static enum ctr_cause cause_at(u64 pc)
{
	u16 parcels[2] = {};

	if (!pc || !read_code(pc, &parcels[0]))
		return CTR_CAUSE_UNKNOWN;
	if ((parcels[0] & 3) == 3 && !read_code(pc + 2, &parcels[1]))
		return CTR_CAUSE_UNKNOWN;
	return ctr_cause_of(parcels[0] | (u32)parcels[1] << 16);
}

/* Those that ctr_view_quick() leaves. Returns whether the record is shown. */
static noinline bool show_closely(struct ctr_cpu *cc, u64 source, u64 target,
				  u64 data, struct perf_branch_entry *perf)
{
	struct ctr_entry entry = { source, target, data };
	struct ctr_entry_context context = cc->view.context;

	cc->saw_misp |= ctr_entry_mispredicted(&entry);
	if (!ctr_filter_pass(cc->view.filter, &entry))
		return false;
	if (ctr_entry_type(&entry) == CTR_TYPE_EXCEPTION)
		context.cause = cause_at(ctr_entry_from(&entry));
	ctr_entry_to_perf(&entry, &context, perf);
	return true;
}

/* The registers one by one, so that no copy of the entry is made in memory. */
static __always_inline bool show(struct ctr_cpu *cc,
				 const struct ctr_entry *entry,
				 struct perf_branch_entry *perf)
{
	return likely(ctr_view_quick(&cc->view, entry, perf)) ||
	       show_closely(cc, entry->source, entry->target, entry->data, perf);
}

/*
 * Fill @stack up to @max from this hart's buffer. No more are read than can be
 * shown: each costs a few CSR accesses. Returns whether the buffer held no more.
 */
static bool append_buffer(struct ctr_cpu *cc, struct perf_branch_stack *stack,
			  unsigned int max)
{
	struct perf_branch_entry *next = stack->entries, *end = next + max;
	unsigned int i, depth = cc->hw.depth;
	unsigned long select = ctr_hw_open();
	struct ctr_entry entry;

	cc->saw_misp = false;
	for (i = 0; i < depth && next < end; i++) {
		if (!ctr_hw_entry(i, &entry))
			break;
		if (show(cc, &entry, next))
			next++;
	}
	ctr_hw_close(select);
	stack->nr = next - stack->entries;
	/* From the next stack on, what is not mispredicted is predicted. */
	if (cc->saw_misp)
		cc->buffer.tells_misp = true;
	return i < depth && next < end;
}

/* The same from what the owner did elsewhere, or before it was switched out. */
static void append_older(struct ctr_cpu *cc, struct perf_branch_stack *stack,
			 unsigned int max, ctr_filter_t filter)
{
	struct ctr_entry *entry = cc->buffer.scratch;
	bool tells_misp = false;
	unsigned int nr;

	nr = ctr_task_older(&cc->buffer, entry, cc->hw.depth, &tells_misp);
	ctr_view_set(&cc->view, filter, tells_misp);
	for (; nr && stack->nr < max; nr--, entry++)
		stack->nr += show(cc, entry, &stack->entries[stack->nr]);
}

struct perf_branch_stack *ctr_cpu_read(struct perf_event *event,
				       ctr_filter_t filter)
{
	struct ctr_cpu *cc = this_cpu_ptr(ctr_cpus);
	struct perf_branch_stack *stack = cc->stack;
	unsigned int max = cc->hw.depth;

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
	if (!ctr_task_owns(&cc->buffer, current))
		return stack;

	/* Newer kernels cut the stack to what its reader said it can take. */
	if (event->attr.sample_max_stack)
		max = min_t(unsigned int, max, event->attr.sample_max_stack);
	ctr_view_set(&cc->view, filter, cc->buffer.tells_misp);
	/* What the task did elsewhere is for events that follow it. */
	if (append_buffer(cc, stack, max) && event->ctx->task)
		append_older(cc, stack, max, filter);
	cc->buffer.counts.samples++;
	cc->buffer.counts.entries += stack->nr;
	trace_ssctr_snapshot(current->pid, stack->nr, stack->hw_idx);
	return stack;
}
