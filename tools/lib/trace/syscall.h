/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A system call's number, as the code tells it that sets register a7. Side events tell
 * it too: traps.h.
 */
#ifndef TRACE_SYSCALL_H
#define TRACE_SYSCALL_H

#include "path/path.h"

#include <stdbool.h>
#include <stdint.h>

/* What a7 holds in user code, along a thread's path. All 0 before the first run. */
struct syscall {
	bool known;
	int64_t number;
	uint64_t trap_pc; /* where user code was left for the kernel; 0: it runs */
};

/*
 * A run begins: a7 is known on after a straight line, and where the kernel comes back
 * to it. A signal's handler and another program start elsewhere.
 */
void syscall_begin(struct syscall *call, const struct path_run *run);

/* An instruction of user code is executed. */
void syscall_pass(struct syscall *call, uint32_t opcode, unsigned int size);

/*
 * The number that size bytes of code in straight line set, whatever was before: the
 * line before the call often does. False: they do not tell.
 */
bool syscall_of_line(const uint8_t *code, uint32_t size, uint64_t *number);

#endif
