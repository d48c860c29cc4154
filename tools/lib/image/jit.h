/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that a program makes itself. The program writes the bytes of the code to a jitdump
 * (jit-PID.dump). It maps the jitdump, so that the recording names it. It writes the
 * names to a perf map (/tmp/perf-PID.map). perf has defined both forms. A jitdump is an
 * img_file, and its offsets are offsets in the dump.
 */
#ifndef IMAGE_JIT_H
#define IMAGE_JIT_H

#include "image/image.h"

#define IMG_JIT_ANY_TIME UINT64_MAX

/*
 * Find the code at an address and at a time: *size bytes at *start. The code is at
 * *offset in the dump. The time is in ns on the clock of the dump (CLOCK_MONOTONIC). With
 * IMG_JIT_ANY_TIME, the code is known only if the address has held one piece of code.
 * Returns IMG_OK, IMG_ANON if there is no code, IMG_CHANGED if the time is needed, or the
 * reason why the dump cannot be used.
 */
enum img_state img_jit_code(const struct img_file *dump, uint64_t addr,
			    uint64_t time, uint64_t *start, uint64_t *size,
			    uint64_t *offset);

/*
 * Returns when this code, as img_jit_code() found it, took the place of other code, in ns. 0: it
 * did not, or the dump has no times.
 */
uint64_t img_jit_since(const struct img_file *dump, uint64_t start, uint64_t size,
		       uint64_t offset);

/*
 * Read the perf map of a process, below symfs or in one of the places. For this file,
 * img_symbol() takes addresses instead of offsets. It belongs to img. Returns NULL if
 * there is none or if out of memory. A list of another user, except root, is not used: if
 * there is no other one, the file has no names, and img_file_error() tells why.
 */
struct img_file *img_perf_map(struct img *img, uint32_t pid);

/*
 * Read a perf map again if its program has written more. Returns whether it did. Names
 * that it told before are then not valid any more.
 */
bool img_reread_perf_map(struct img_file *map);

/*
 * Returns whether a perf map gives several names to an address. img_symbol() has the last one,
 * but code of the others may have run there.
 */
bool img_has_several_names(const struct img_file *map, uint64_t addr);

/* Returns at how many addresses such a name begins. */
uint64_t img_several_names(const struct img_file *map);

/*
 * The same as img_reread_perf_map() for a jitdump, whose code is then not valid any more
 * either. Files of other kinds are left alone. Offsets in a jitdump stay what they were,
 * because programs only write behind its end.
 */
bool img_reread_jitdump(struct img_file *dump);

/*
 * Programs also list code of files, such as the builtin functions of a JIT that are in its
 * library. Give the names that a perf map or a jitdump has for the addresses from start to
 * end to the file that is mapped there, with `offset` at start. img_symbol() uses them
 * where the file itself has no name. Returns false if out of memory.
 */
bool img_lend_names(struct img_file *list, struct img_file *to, uint64_t start,
		    uint64_t end, uint64_t offset);

/* Take back all names that a file got so. */
void img_return_names(struct img_file *file);

#endif
