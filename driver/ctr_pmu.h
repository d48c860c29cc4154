/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serving branch stacks on the kernel's own `cpu` PMU. The only room that touches
 * another driver's structures: the PMU's event_init, add and del are replaced by
 * ones that see to the records and leave the rest to the originals.
 */
#ifndef CTR_PMU_H
#define CTR_PMU_H

#include <linux/types.h>

struct perf_event;
struct perf_sample_data;

/*
 * Take the PMU over. @counting: events that take no samples record, too, for who looks at
 * the buffer without one. Says in the log why not, and returns -ENODEV (there is no
 * such PMU), -EOPNOTSUPP (its counters raise no interrupt) or -EBUSY (another
 * module has wrapped it).
 */
int ctr_pmu_attach(bool counting);

/*
 * Give it back, and wait until nobody is inside any of our functions. No branch
 * event may be left: each holds a reference on the module.
 */
void ctr_pmu_detach(void);

/*
 * Put the records into @data, the sample of @event, if that has branch stacks and they
 * are not there yet. Called as ctr_cpu_read() is.
 */
void ctr_pmu_save_stack(struct perf_event *event, struct perf_sample_data *data);

/* How many events with branch stacks were refused, for whatever reason. */
unsigned int ctr_pmu_refused(void);

#endif
