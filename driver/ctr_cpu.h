/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's recording: which events are active on it, what they want together,
 * and the records that one of them is shown.
 */
#ifndef CTR_CPU_H
#define CTR_CPU_H

#include <linux/interrupt.h>
#include <linux/perf_event.h>

#include "ctr_filter.h"
#include "ctr_hw.h"

struct kvm_cpu_trap;
struct kvm_vcpu;

/*
 * Process context: set up and tear down the state of all CPUs. @keep: while no event wants
 * records, those of the kernel are kept for ctr_cpu_peek().
 */
int ctr_cpu_init(bool keep);
void ctr_cpu_exit(void);

/*
 * This CPU comes into use, or goes out of it. Process context on that CPU.
 * ctr_cpu_online() returns why its hart cannot be used, or CTR_HW_OK. Call ctr_cpu_lacks()
 * instead if it is known that it has no records, and must not be asked.
 */
enum ctr_hw_fault ctr_cpu_online(unsigned int max_depth);
void ctr_cpu_lacks(void);
void ctr_cpu_offline(void);

/* This CPU's hart may have lost its registers in an idle state. */
void ctr_cpu_resume(void);

/*
 * From here on what is active is recorded, or not: without the probes below nobody
 * could tell whose records they are. Process context. Off from the beginning.
 */
void ctr_cpu_record(bool on);

/* Entries of @cpu's buffer, 0 if it has none that can be used. */
unsigned int ctr_cpu_depth(unsigned int cpu);

/*
 * Can @cpu record what @filter asks for? Of one that comes or goes it is not known, and nothing
 * is to be refused: what is active when it has come is recorded then.
 */
bool ctr_cpu_serves(unsigned int cpu, ctr_filter_t filter);

/* No context was off for so long. */
#define CTR_CPU_NEVER_BEGAN	U64_MAX

/* Returns a moment that is later than all before, also than those of all records. */
u64 ctr_cpu_new_moment(void);

/*
 * @event is new. If it is a copy for a task that begins, its parent is the event that was
 * opened, also of a copy's copy. It is on from there if that one is, and sees all that its
 * task does. perf may give it to another of the tasks that have copies before it was ever
 * added: what the event that was opened sees of them, it may see. If that one never began, as on
 * a CPU to which its task did not come yet, this is what they do from now on.
 */
static inline void ctr_cpu_init_event(struct perf_event *event)
{
	const struct perf_event *parent = event->parent;

	event->hw.extra_reg.config = CTR_CPU_NEVER_BEGAN;
	if (!parent)
		return;
	/* Otherwise it begins when it is added, as where the first task has ended. */
	if (READ_ONCE(parent->state) >= PERF_EVENT_STATE_INACTIVE)
		event->hw.extra_reg.config = 0;
	event->hw.last_tag = READ_ONCE(parent->hw.last_tag) ?: ctr_cpu_new_moment();
}

/*
 * A branch event with @filter starts or ceases to be active on this CPU. Interrupts
 * off. What was recorded before its first start is not shown to it, where the first start of
 * one counts for all of its task that are on by then and have the same filter. Its
 * hw.extra_reg.config and hw.last_tag, which are free on RISC-V, are this room's.
 * ctr_cpu_may_add() comes first: it returns 0, -ENOSPC when more events are active than
 * there can be counters, or -EAGAIN when one is whose filter does not fit. perf then gives
 * both their time if they are of one context. Otherwise the CPU's has all of it, but
 * beside a pinned one of a task, which perf adds first.
 */
int ctr_cpu_may_add(ctr_filter_t filter);
void ctr_cpu_add(struct perf_event *event, ctr_filter_t filter);
void ctr_cpu_del(struct perf_event *event);

/* @pmu, whose events are recorded, is enabled, as after a switch. Interrupts off. */
void ctr_cpu_enable(const struct pmu *pmu);

/*
 * The records for @event, newest first, as perf takes them; valid until the next
 * call on this CPU. NULL if this hart records nothing. Not to be called in an NMI, which
 * could be in the midst of all this: the overflow interrupt is none.
 */
struct perf_branch_stack *ctr_cpu_read(struct perf_event *event,
				       ctr_filter_t filter);

/*
 * What the buffer holds of the current task right now, newest first, as perf takes it:
 * at most @max records to @entries, those that were put away behind them. All that is
 * recorded is shown, whichever event asked for it. Returns their number. Any context.
 */
int ctr_cpu_snapshot(struct perf_branch_entry *entries, unsigned int max);

/*
 * What the buffer of this CPU holds, of whichever task, newest first, to @entries, which has
 * room for CTR_MAX_ENTRIES. Returns their number: 0 while a guest has the buffer, and on a
 * hart that has lost its access. Interrupts off. It is for a kernel that is about to die:
 * nobody else may see all of this.
 */
unsigned int ctr_cpu_peek(struct ctr_entry *entries);

/*
 * Probes of the kernel's tracepoints of the same names. Called all the time, hence
 * as the tracepoints call.
 *
 * A buffer that froze on a counter overflow is thawed when an interrupt is done,
 * whichever that was: an overflow that comes while its event is being
 * stopped has no event any more, and nobody else would.
 */
void ctr_cpu_sched_switch(void *data, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state);
void ctr_cpu_irq_handler_exit(void *data, int irq, struct irqaction *action,
			      int ret);

/*
 * Probes of tracepoints of KVM: a guest of the current task is about to run on this CPU,
 * interrupts off; it does not run any more.
 */
void ctr_cpu_kvm_entry(void *data, struct kvm_vcpu *vcpu);
void ctr_cpu_kvm_exit(void *data, struct kvm_cpu_trap *trap);

/* The current task is another program from here on. Interrupts off. */
void ctr_cpu_exec(void);

/* What happened on a CPU, for those who look for a fault. */
struct ctr_counts {
	u64 samples;	/* stacks given to perf */
	u64 entries;	/* in them */
	u64 switches;	/* to a task that is recorded */
	u64 clears;
	u64 saves;	/* copies to a task's store */
	u64 restores;	/* call stacks that were put back */
	u64 drops;	/* records that found no store */
	u64 thaws;
	u64 unfit;	/* events that were not added beside one of the other kind */
};

/* What a CPU is at, as far as it can be told without asking it. */
struct ctr_cpu_state {
	unsigned int depth;
	u64 writable;		/* bits of sctrctl that the hart implements */
	u64 ctl;		/* what sctrctl holds */
	unsigned int nr_events;	/* active ones */
	struct ctr_counts counts;
};

void ctr_cpu_state(unsigned int cpu, struct ctr_cpu_state *state);

#endif
