/* SPDX-License-Identifier: GPL-2.0-only */
/* The BPF programs that were loaded before a recording began. */
#ifndef RECORDER_PROGRAMS_H
#define RECORDER_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Call found() for each function of each BPF program that the kernel has compiled, with the name
 * that the kernel gives to it. Users who may not ask for programs get none. Returns 0, or at once
 * what found() returns if it is not 0.
 */
int rcd_each_program(int (*found)(void *arg, uint64_t start, uint32_t size, const char *name),
		     void *arg);

/*
 * Returns the name of a type of BTF, such as that of a function. Returns NULL if there is none, or
 * if the data is damaged.
 */
const char *rcd_btf_name(const uint8_t *btf, size_t size, uint32_t type);

#endif
