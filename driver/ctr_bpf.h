/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branch records for BPF programs, by the kernel's own two helpers:
 * bpf_read_branch_records() in programs on events with branch stacks, and
 * bpf_get_branch_snapshot() in all that trace.
 */
#ifndef CTR_BPF_H
#define CTR_BPF_H

/*
 * Process context. Returns 0, or a negative code with a line in the log if programs cannot
 * be served.
 */
int ctr_bpf_init(void);

/* Waits until no program is inside. Process context. */
void ctr_bpf_exit(void);

#endif
