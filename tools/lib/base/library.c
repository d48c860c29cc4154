// SPDX-License-Identifier: GPL-2.0-only
#include "base/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>

bool library_can_load(void)
{
	return getauxval(AT_BASE);
}

void *library_open(const char *name)
{
	return library_can_load() ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
}

void *library_open_llvm(void)
{
	/* 14 knows all extensions that the disassembler asks for. */
	enum { NEWEST = 40, OLDEST = 14 };
	static const char *const names[] = { "libLLVM.so.%d.1", "libLLVM-%d.so",
					     "libLLVM-%d.so.1" };
	unsigned int i;
	char name[32];
	void *library;
	int version;

	for (version = NEWEST; version >= OLDEST; version--)
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			snprintf(name, sizeof(name), names[i], version);
			library = library_open(name);
			if (library)
				return library;
		}
	return NULL;
}

/* C has no cast from an object's pointer to a function's. */
bool library_find(void *library, const char *name, void *function)
{
	*(void **)function = dlsym(library, name);
	return *(void **)function;
}
