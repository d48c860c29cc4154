/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Libraries that are used if they are installed. They are needed neither to build nor to
 * run.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>

/*
 * Returns whether the program can load a library. A static program has no interpreter,
 * and would crash.
 */
bool library_can_load(void);

/*
 * Returns a library, or NULL if it is missing or cannot be loaded. It stays loaded until
 * the program ends.
 */
void *library_open(const char *name);

/* Returns LLVM's library in the newest version that is installed, at least 14, or NULL. */
void *library_open_llvm(void);

/*
 * Store a function of the library. `function` points to a pointer to a function. Returns
 * false if the library has no function with this name.
 */
bool library_find(void *library, const char *name, void *function);

#endif
