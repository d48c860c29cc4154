/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One CPU's recording: which events are active on it, what they want together,
 * and the records that one of them is shown.
 */
#ifndef CTR_CPU_H
#define CTR_CPU_H

#include <linux/perf_event.h>

#include "ctr_filter.h"
#include "ctr_hw.h"

/* Process context: set up and tear down the state of all CPUs. */
int ctr_cpu_init(void);
void ctr_cpu_exit(void);

/*
 * This CPU comes into use, or goes out of it. Process context on that CPU.
 * ctr_cpu_online() returns why its hart cannot be used, or CTR_HW_OK.
 */
enum ctr_hw_fault ctr_cpu_online(unsigned int max_depth);
void ctr_cpu_offline(void);

/* This CPU's hart may have lost its registers in an idle state. */
void ctr_cpu_resume(void);

/* Entries of @cpu's buffer, 0 if it has none that can be used. */
unsigned int ctr_cpu_depth(unsigned int cpu);

/* A new branch event. Its hw.extra_reg is this room's. */
void ctr_cpu_event_init(struct perf_event *event);

/*
 * A branch event with @filter starts or ceases to be active on this CPU.
 * Interrupts off. Records made before the start are not shown to anybody.
 * ctr_cpu_add() returns -ENOSPC when more events are active than there can be
 * counters, else 0.
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

/* The scheduler's and the interrupts' side; all with interrupts off. */
void ctr_cpu_switch(struct task_struct *prev, struct task_struct *next);
void ctr_cpu_exec(void);
void ctr_cpu_overflow_done(void);

/* Does an overflow interrupt freeze this CPU's buffer? */
bool ctr_cpu_freezes(void);

#endif
