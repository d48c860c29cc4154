/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's probes of the kernel's tracepoints. They are there while there are
 * branch events, and shortly after; a system without any pays nothing.
 */
#ifndef CTR_HOOK_H
#define CTR_HOOK_H

/*
 * Find the tracepoints. Process context. Returns 0, or -ENODEV with a line in the
 * log if the kernel lacks one.
 */
int ctr_hook_init(void);

/* No user is left, and none comes. Process context. */
void ctr_hook_exit(void);

/*
 * One more branch event. Process context. Nothing is recorded before the probes
 * are there: that is when this returns, unless @locked says that the caller holds
 * locks under which the kernel's code cannot be changed, or somewhat later. Returns
 * 0, or a negative code if that cannot be; ctr_hook_put() is not to be called then.
 */
int ctr_hook_get(bool locked);

/* One less. Any context. */
void ctr_hook_put(void);

/* Are the probes there? For those who look. */
bool ctr_hook_active(void);

#endif
