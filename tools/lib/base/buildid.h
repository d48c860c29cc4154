/* SPDX-License-Identifier: GPL-2.0-only */
/* The build id of running code, as the kernel tells it. */
#ifndef BASE_BUILDID_H
#define BASE_BUILDID_H

#include <stddef.h>
#include <stdint.h>

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
