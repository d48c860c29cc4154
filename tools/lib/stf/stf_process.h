/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparison of processes, for the product's own libraries. It is not installed. */
#ifndef STF_PROCESS_H
#define STF_PROCESS_H

#include "stf/stf.h"

/* Returns whether both are the same thread on the same hart. */
static inline bool stf_same_process(const struct stf_process *a,
				    const struct stf_process *b)
{
	return a->hart == b->hart && a->pid == b->pid && a->tid == b->tid;
}

#endif
