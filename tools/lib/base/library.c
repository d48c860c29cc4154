// SPDX-License-Identifier: GPL-2.0-only
#include "base/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <sys/auxv.h>

bool library_can_load(void)
{
	return getauxval(AT_BASE);
}

void *library_open(const char *name)
{
	return library_can_load() ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* C has no cast from an object's pointer to a function's. */
bool library_find(void *library, const char *name, void *function)
{
	*(void **)function = dlsym(library, name);
	return *(void **)function;
}
