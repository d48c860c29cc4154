/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branch records for BPF programs, by the kernel's own two helpers:
 * bpf_read_branch_records() in programs on events with branch stacks, and, if it is asked
 * for, bpf_get_branch_snapshot() in all that trace.
 */
#ifndef CTR_BPF_H
#define CTR_BPF_H

#include <linux/types.h>

/*
 * Process context. @snapshots asks for bpf_get_branch_snapshot(). Returns 0, or a negative
 * code with a line in the log if that cannot be served.
 */
int ctr_bpf_init(bool snapshots);

/* Waits until no program is inside. Process context. */
void ctr_bpf_exit(void);

#endif
