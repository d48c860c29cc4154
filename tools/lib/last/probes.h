/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel's probes in a program change in its path. The kernel maps a page of its own
 * into the process. There it runs the instruction that a probe has replaced. A probe at the
 * return of a function leads the return to this page, too, and a breakpoint there leads to the
 * kernel, which then continues where the function would have returned to.
 */
#ifndef LAST_PROBES_H
#define LAST_PROBES_H

#include "path/code.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the address is in the kernel's page for probes. */
bool last_is_of_probes(struct path_code *code, uint32_t pid, uint64_t addr);

/*
 * Change nr branches, the newest first, to those that the program would have had without
 * probes. ip is where it was in the end. Where branches of the kernel were recorded, too, they
 * tell where a return led. Otherwise the call that belongs to it does. If that is not among the
 * branches, the return still leads to the page. Returns the number of branches that are left.
 */
size_t last_leave_out_probes(struct pd_branch *v, size_t nr, uint64_t ip,
			     struct path_code *code, uint32_t pid);

#endif
