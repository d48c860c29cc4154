/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module ssctr_snapshot: what bpf_get_branch_snapshot() calls. The kernel copies that
 * function's address into each program that it loads, so that it must never go away.
 * This module is never unloaded, and small; ssctr comes and goes.
 */
#ifndef CTR_SNAPSHOT_H
#define CTR_SNAPSHOT_H

struct perf_branch_entry;

/* Fills @entries with up to @max records, newest first, and returns their number. */
typedef int ctr_snapshot_t(struct perf_branch_entry *entries, unsigned int max);

/*
 * Serve programs with @snapshot from here on; NULL: with no records. Who takes a function
 * back waits for RCU and RCU tasks before it goes away. Returns 0, or -EBUSY if somebody
 * else serves them. Process context.
 */
typedef int ctr_snapshot_serve_t(ctr_snapshot_t *snapshot);
ctr_snapshot_serve_t ctr_snapshot_serve;

#endif
