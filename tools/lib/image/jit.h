/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that a program made itself: its bytes in a jitdump (jit-PID.dump, which the
 * program maps so that the recording names it), its names in a perf map
 * (/tmp/perf-PID.map). Both are written by the program, in forms that perf laid
 * down. A jitdump is an img_file, whose offsets are those in the dump.
 */
#ifndef IMAGE_JIT_H
#define IMAGE_JIT_H

#include "image/image.h"

#define IMG_JIT_ANY_TIME UINT64_MAX

/*
 * The code at an address, at a time on the dump's clock (CLOCK_MONOTONIC, ns):
 * *size bytes at *start, at *offset of the dump. With IMG_JIT_ANY_TIME the address
 * must have held one code only. Returns IMG_OK, IMG_ANON if there is none, or why
 * the dump cannot be used.
 */
enum img_state img_jit_code(const struct img_file *dump, uint64_t addr,
			    uint64_t time, uint64_t *start, uint64_t *size,
			    uint64_t *offset);

/*
 * The perf map of a process, below the image's symfs; img_symbol() takes addresses
 * as its offsets. NULL: there is none, or out of memory.
 */
struct img_file *img_perf_map(struct img *img, uint32_t pid);

#endif
