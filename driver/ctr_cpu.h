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
#include "ctr_task.h"

/* Process context: set up and tear down the state of all CPUs. */
int ctr_cpu_init(void);
void ctr_cpu_exit(void);

/*
 * This CPU comes into use, or goes out of it. Process context on that CPU.
 * ctr_cpu_online() returns why its hart cannot be used, or CTR_HW_OK.
 */
enum ctr_hw_fault ctr_cpu_online(unsigned int max_depth);
void ctr_cpu_offline(void);

/* This CPU's hart may lose its registers in an idle state, or may have lost them. */
void ctr_cpu_suspend(void);
void ctr_cpu_resume(void);

/*
 * From here on what is active is recorded, or not: without the probes below nobody
 * could tell whose records they are. Process context. Off from the beginning.
 */
void ctr_cpu_record(bool on);

/* Entries of @cpu's buffer, 0 if it has none that can be used. */
unsigned int ctr_cpu_depth(unsigned int cpu);

/* Can @cpu record what @filter asks for? */
bool ctr_cpu_serves(unsigned int cpu, ctr_filter_t filter);

/* A new branch event. Its hw.extra_reg is this room's. */
void ctr_cpu_event_init(struct perf_event *event);

/*
 * A branch event with @filter starts or ceases to be active on this CPU.
 * Interrupts off. Records made before the start are not shown to anybody.
 * ctr_cpu_add() returns 0, -ENOSPC when more events are active than there can be
 * counters, or -EAGAIN when one is whose filter does not fit: perf then gives both
 * their time.
 */
int ctr_cpu_add(struct perf_event *event, ctr_filter_t filter);
void ctr_cpu_del(struct perf_event *event);

/*
 * The records for @event, newest first, as perf takes them; valid until the next
 * call on this CPU. NULL if this hart records nothing. Called in the overflow
 * interrupt.
 */
struct perf_branch_stack *ctr_cpu_read(struct perf_event *event,
				       ctr_filter_t filter);

/*
 * Probes of the kernel's tracepoints of the same names. Called all the time, hence
 * as the tracepoints call.
 *
 * A buffer that froze on a counter overflow is thawed when the PMU's interrupt is
 * done, whatever that found: an overflow that comes while its event is being
 * stopped has no event any more, and nobody else would.
 */
void ctr_cpu_sched_switch(void *data, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state);
void ctr_cpu_irq_handler_exit(void *data, int irq, struct irqaction *action,
			      int ret);

/* The current task is another program from here on. Interrupts off. */
void ctr_cpu_exec(void);

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
