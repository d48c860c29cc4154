/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs that were loaded before a recording began, and their trampolines. */
#ifndef RECORDER_PROGRAMS_H
#define RECORDER_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

typedef int rcd_found_fn(void *arg, uint64_t start, uint32_t size, const char *name);

/*
 * Call found() for each function of each BPF program that the kernel has compiled, with the name
 * that the kernel gives to it, and then for each trampoline that /proc/kallsyms has. Users who may
 * not ask for programs get none. Returns 0, or at once what found() returns if it is not 0.
 */
int rcd_each_program(rcd_found_fn *found, void *arg);

/*
 * Call found() for each trampoline and dispatcher of BPF in a file of the form of /proc/kallsyms,
 * where its address is known. Returns what rcd_each_program() does.
 */
int rcd_each_trampoline(const char *list, rcd_found_fn *found, void *arg);

/*
 * Returns the name of a type of BTF, such as that of a function. Returns NULL if there is none, or
 * if the data is damaged.
 */
const char *rcd_btf_name(const uint8_t *btf, size_t size, uint32_t type);

#endif
