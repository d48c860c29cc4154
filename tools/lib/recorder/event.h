/* SPDX-License-Identifier: GPL-2.0-only */
/* Parse events and branch filters in the form that users of perf know. */
#ifndef RECORDER_EVENT_H
#define RECORDER_EVENT_H

#include "base/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct rcd_event {
	struct perf_event_attr attr;
	char name[128]; /* the name that the user gave */
	bool has_modes; /* the name tells the modes: cycles:u */
	bool has_period; /* the name tells the period: cycles/period=100/ */
	bool optional; /* the user did not ask for it, so it may be left out */
};

/* Set all members to 0 first. */
struct rcd_events {
	struct rcd_event *v;
	size_t nr, cap;
};

/* The folders in which the kernel describes its PMUs and tracepoints. */
#define RCD_PMUS "/sys/bus/event_source/devices"

/*
 * Add the events of a list such as cycles:u,raw_syscalls:sys_*. This sets size, type,
 * config and exclude_* of attr, and the period if the list has one. The names are those
 * of the hardware's and the kernel's own events, rHEX, PMU/TERM=N,.../ and
 * SYSTEM:TRACEPOINT. * and ? are patterns in a tracepoint. A name can end in :u, :k or
 * :p. Returns 0, or ERROR_USAGE or ERROR_NOMEM with a text.
 */
int rcd_add_events(struct rcd_events *events, const char *list,
		   struct error *error);

/* Add one event without a change. Returns 0, or ERROR_NOMEM with a text. */
int rcd_add_event(struct rcd_events *events, const struct rcd_event *e,
		  struct error *error);

void rcd_free_events(struct rcd_events *events);

/*
 * Parse perf's words for `-j`, separated by commas: any, u, ind_call, ... Returns the
 * bits of branch_sample_type, or 0 with a text. u, k or hv alone implies any.
 */
uint64_t rcd_branch_filter(const char *words, struct error *error);

/* Returns whether BPF programs write what the event records. */
static inline bool rcd_is_of_bpf(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* Returns whether the hart counts the event, so that it can have branch stacks. */
static inline bool rcd_is_hardware(const struct rcd_event *e)
{
	return e->attr.type != PERF_TYPE_SOFTWARE &&
	       e->attr.type != PERF_TYPE_TRACEPOINT;
}

#endif
