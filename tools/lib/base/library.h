/* SPDX-License-Identifier: GPL-2.0-only */
/* Libraries that are used where they are installed, and needed neither to build nor to run. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>

/* A static program has no interpreter, and crashes in the attempt to load one. */
bool library_can_load(void);

/* NULL: it is not there, or cannot be loaded. It stays until the program ends. */
void *library_open(const char *name);

/* function: a pointer to a pointer to a function. False: the library has none of that name. */
bool library_find(void *library, const char *name, void *function);

#endif
