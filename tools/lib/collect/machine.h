/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel tells of this machine and of this process. */
#ifndef COLLECT_MACHINE_H
#define COLLECT_MACHINE_H

#include "collect/collect.h"

/*
 * Store the time, and how long the CPUs have been idle. If /proc/uptime cannot be read,
 * they have never been idle.
 */
void collect_machine_now(struct collect_time *now);

/* Returns the ns of processor time that this process and its children have taken. */
uint64_t collect_machine_spent(void);

/* Returns how often all CPUs together have switched between tasks, or 0. */
uint64_t collect_machine_switches(void);

#endif
