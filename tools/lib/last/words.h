/* SPDX-License-Identifier: GPL-2.0-only */
/* A point, in words. */
#ifndef LAST_WORDS_H
#define LAST_WORDS_H

#include "last/point.h"
#include "perfdata/perfdata.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the samples of an event are points. */
bool last_has_points(const struct pd_attr *attr);

/*
 * Read the point of a sample. Returns false if the sample is of another event, or damaged.
 */
bool last_read(struct last_point *point, const struct pd_event *ev);

/*
 * Write what happened, such as "killed by SIGSEGV: nothing is mapped at address 0x0". It
 * follows the name of the process or, for LAST_ENTRY and LAST_RETURN, of the function. pid
 * is the process. Returns text.
 */
const char *last_words(const struct last_point *point, uint32_t pid, char *text, size_t size);

/* The same in one or two words, for the end of a path: "SIGSEGV", "EINVAL", ... */
const char *last_short(const struct last_point *point, char *text, size_t size);

/* Returns the name of a system call of RISC-V: "openat". NULL: there is no such number. */
const char *last_syscall_name(int number);

/*
 * Returns whether the instruction at the sample's ip is what happened: it faulted, or it is
 * a breakpoint. Otherwise it is the one that would have run next, also if the thread is in the
 * kernel, at a function there.
 */
bool last_is_at_ip(const struct last_point *point);

/* Returns whether the thread is in a system call: the instruction before ip made it. */
bool last_is_after_ecall(const struct last_point *point);

#endif
