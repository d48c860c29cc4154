/* SPDX-License-Identifier: GPL-2.0-only */
/* Work whose branches are of every kind, to be recorded. */
#ifndef SELFTESTS_WORK_H
#define SELFTESTS_WORK_H

#include <stdint.h>

/* Loops, calls, indirect calls, a switch table, recursion: @rounds of it. */
uint64_t work(unsigned int rounds);

/* @rounds of a system call each. */
void work_syscalls(unsigned int rounds);

/* Every transfer that there is, once a round: zoo.S. */
void zoo(unsigned long rounds);

#endif
