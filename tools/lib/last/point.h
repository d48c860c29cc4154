/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A point in the run of a program, and why the branches before it were kept. The recorder's
 * BPF program writes this, as the raw data of a sample.
 */
#ifndef LAST_POINT_H
#define LAST_POINT_H

#include <stdbool.h>
#include <stdint.h>

enum last_kind {
	LAST_SIGNAL = 1, /* a signal that ends the process */
	LAST_EXIT, /* exit() or exit_group(), with a status that is not 0 */
	LAST_SYSCALL, /* a system call that failed returns */
	LAST_ENTRY, /* a function was entered; its first instruction has not run */
	LAST_RETURN, /* a function has returned */
	/* Of a kernel's log, and not of the BPF program: */
	LAST_OOPS, /* an exception in the kernel */
	LAST_PANIC, /* the kernel stopped the machine */
	LAST_NR_KINDS,
};

/* The name of the event whose samples these are. */
#define LAST_EVENT "ssctr-last"

struct last_point {
	uint32_t kind; /* enum last_kind */
	/* the signal, the exit status, or the number of the system call */
	int32_t number;
	/* si_code of the signal; the result of the system call or the function */
	int64_t value;
	/* si_addr of a signal for a fault; the process that sent another signal */
	uint64_t addr;
	/* why the thread is in the kernel: scause */
	uint64_t cause;
	/* the kernel's function that was entered or has returned; 0: the point is none */
	uint64_t kernel_ip;
};

static inline bool last_enters_kernel(const struct last_point *point)
{
	return point->kind == LAST_ENTRY && point->kernel_ip;
}

#endif
