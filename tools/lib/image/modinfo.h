/* SPDX-License-Identifier: GPL-2.0-only */
/* What the file of a kernel module says about the module, as modinfo(8) prints it. */
#ifndef IMAGE_MODINFO_H
#define IMAGE_MODINFO_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Store the value of a field, such as srcversion, as a string of at most size bytes. The file
 * may be compressed in any way that libdw reads. Returns false if the file cannot be read, or
 * has no such field.
 */
bool img_modinfo(const char *path, const char *field, char *value, size_t size);

#endif
