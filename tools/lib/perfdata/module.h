/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of kernel modules in recordings. */
#ifndef PERFDATA_MODULE_H
#define PERFDATA_MODULE_H

#include <stdbool.h>

/*
 * Returns whether a name in a recording means a module of the kernel. The recorded name
 * is [a_b], or the path of the module's file, DIR/a-b.ko.xz. module is the kernel's own
 * name, a_b, or also the path of a file.
 */
bool pd_names_module(const char *recorded, const char *module);

#endif
