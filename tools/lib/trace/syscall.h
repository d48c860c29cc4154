/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The number of a system call, from the code that sets register a7. Side events also tell
 * it: see traps.h.
 */
#ifndef TRACE_SYSCALL_H
#define TRACE_SYSCALL_H

#include "path/path.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The value of a7 in user code along the path of a thread. Set all members to 0 before
 * the first run.
 */
struct syscall {
	bool known;
	int64_t number;
	/* The PC at which user code went into the kernel. 0: user code runs. */
	uint64_t trap_pc;
};

/*
 * Begin a run. a7 is still known after a straight line, and where the kernel returns to
 * this line. The handler of a signal and a new program start elsewhere.
 */
void syscall_begin(struct syscall *call, const struct path_run *run);

/* Take an instruction of user code that is executed. */
void syscall_pass(struct syscall *call, uint32_t opcode, unsigned int size);

/*
 * Find the number that a straight line sets, whatever ran before. The line has size bytes
 * of code. Often this is the line before the call. Returns false if the line does not
 * tell it.
 */
bool syscall_of_line(const uint8_t *code, uint32_t size, uint64_t *number);

#endif
