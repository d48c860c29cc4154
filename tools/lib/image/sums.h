/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IMAGE_SUMS_H
#define IMAGE_SUMS_H

#include "base/md5.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Find the MD5 of a source file of a unit, by the path that libdw has for it. Returns false if
 * the debug information does not have it.
 */
bool img_source_md5(Dwarf *dwarf, Dwarf_Die *unit, const char *path, uint8_t md5[MD5_SIZE]);

#endif
