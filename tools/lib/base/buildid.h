/* SPDX-License-Identifier: GPL-2.0-only */
/* The build ids in ELF notes, and those of running code, as the kernel tells them. */
#ifndef BASE_BUILDID_H
#define BASE_BUILDID_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the build id in n bytes of ELF notes, which has *size bytes, or NULL if there is
 * none. Notes are aligned to 4 bytes, or to 8 if align is 8, whatever the address of the
 * bytes is.
 */
const uint8_t *buildid_in_notes(const void *notes, uint64_t n, uint64_t align, size_t *size);

/*
 * Read the build id in a file of ELF notes, such as /sys/kernel/notes. id has room for
 * max bytes. Returns the number of its bytes, or 0 if there is none.
 */
size_t buildid_of_notes(const char *path, uint8_t *id, size_t max);

/*
 * Read the build id of the vdso, the code that the kernel maps into this process and into
 * each other one of its kind. Returns like buildid_of_notes().
 */
size_t buildid_of_vdso(uint8_t *id, size_t max);

#endif
