/* SPDX-License-Identifier: GPL-2.0-only */
/* Events and branch filters by the words that perf's users have for them. */
#ifndef RECORDER_EVENT_H
#define RECORDER_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct rcd_event {
	struct perf_event_attr attr;
	char name[96]; /* as it was asked for */
	bool has_modes; /* the name says which modes: cycles:u */
	bool has_period; /* and how often: cycles/period=100/ */
};

struct rcd_events {
	struct rcd_event *v;
	unsigned int nr;
};

/* Where the kernel tells of its PMUs and tracepoints. */
#define RCD_PMUS "/sys/bus/event_source/devices"

/*
 * Add the events of a list like cycles:u,raw_syscalls:sys_*: type, config and
 * exclude_* of their attr, size, and the period of a list that has one. Names are
 * those of the hardware's and the kernel's own events, rHEX, PMU/TERM=N,.../ and
 * SYSTEM:TRACEPOINT, where * and ? are patterns, and :u, :k, :p behind them.
 * Returns NULL, or why not, in a text that stays until the next call with the same
 * why, which has room for 256 bytes.
 */
const char *rcd_add_events(struct rcd_events *events, const char *list,
			   char *why);

void rcd_free_events(struct rcd_events *events);

/*
 * perf's words for `-j`, by commas: any, u, ind_call, ... Returns the bits of
 * branch_sample_type; 0 with *bad set to the word that is none. With u, k or hv
 * alone any is meant.
 */
uint64_t rcd_branch_filter(const char *words, char *bad, unsigned int room);

/* Is it counted by the hart, so that it can have branch stacks? */
static inline bool rcd_is_hardware(const struct rcd_event *e)
{
	return e->attr.type != PERF_TYPE_SOFTWARE &&
	       e->attr.type != PERF_TYPE_TRACEPOINT;
}

#endif
