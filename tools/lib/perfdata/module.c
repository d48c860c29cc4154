// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/module.h"

#include <string.h>

/* The kernel has no dashes in the names of modules. */
static char plain(char c)
{
	return c == '-' ? '_' : c;
}

bool pd_names_module(const char *recorded, const char *module)
{
	recorded = basename(recorded);
	module = basename(module);
	if (*recorded == '[')
		recorded++;
	for (; *module && strncmp(module, ".ko", 3); module++, recorded++)
		if (plain(*recorded) != plain(*module))
			return false;
	return *recorded == ']' || !strncmp(recorded, ".ko", 3);
}
