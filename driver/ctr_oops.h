/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's last transfers before it oopsed or panicked, in its log. They are there
 * while no event records: ctr_cpu_init() was told to keep them.
 */
#ifndef CTR_OOPS_H
#define CTR_OOPS_H

/*
 * Print at most @most transfers each time, and those by which an exception was handled.
 * Process context. Returns 0, or a negative code with a line in the log if the kernel does
 * not let itself be probed.
 */
int ctr_oops_init(unsigned int most);
void ctr_oops_exit(void);

#endif
