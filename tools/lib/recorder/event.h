/* SPDX-License-Identifier: GPL-2.0-only */
/* Events and branch filters by the words that perf's users have for them. */
#ifndef RECORDER_EVENT_H
#define RECORDER_EVENT_H

#include "base/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct rcd_event {
	struct perf_event_attr attr;
	char name[96]; /* as it was asked for */
	bool has_modes; /* the name says which modes: cycles:u */
	bool has_period; /* and how often: cycles/period=100/ */
	bool optional; /* nobody asked for it: it may be left out */
};

/* All 0 before the first. */
struct rcd_events {
	struct rcd_event *v;
	size_t nr, cap;
};

/* Where the kernel tells of its PMUs and tracepoints. */
#define RCD_PMUS "/sys/bus/event_source/devices"

/*
 * Add the events of a list like cycles:u,raw_syscalls:sys_*: type, config and
 * exclude_* of their attr, size, and the period of a list that has one. Names are
 * those of the hardware's and the kernel's own events, rHEX, PMU/TERM=N,.../ and
 * SYSTEM:TRACEPOINT, where * and ? are patterns, and :u, :k, :p behind them.
 * Returns 0, or ERROR_USAGE or ERROR_NOMEM with a text.
 */
int rcd_add_events(struct rcd_events *events, const char *list,
		   struct error *error);

/* One more, as it is. Returns 0, or ERROR_NOMEM with a text. */
int rcd_add_event(struct rcd_events *events, const struct rcd_event *e,
		  struct error *error);

void rcd_free_events(struct rcd_events *events);

/*
 * perf's words for `-j`, by commas: any, u, ind_call, ... Returns the bits of
 * branch_sample_type, or 0 with a text. With u, k or hv alone any is meant.
 */
uint64_t rcd_branch_filter(const char *words, struct error *error);

/* Is it counted by the hart, so that it can have branch stacks? */
static inline bool rcd_is_hardware(const struct rcd_event *e)
{
	return e->attr.type != PERF_TYPE_SOFTWARE &&
	       e->attr.type != PERF_TYPE_TRACEPOINT;
}

#endif
