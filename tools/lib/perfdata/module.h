/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the kernel's modules in recordings. */
#ifndef PERFDATA_MODULE_H
#define PERFDATA_MODULE_H

#include <stdbool.h>

/*
 * Does a recording mean a module of the kernel by this name? It is [a_b], or the
 * path of the file that the kernel has it from, DIR/a-b.ko.xz; module is the
 * kernel's own name, a_b, or the path of a file, too.
 */
bool pd_names_module(const char *recorded, const char *module);

#endif
