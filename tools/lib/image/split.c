// SPDX-License-Identifier: GPL-2.0-only
#include "image/split.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The name that the unit gives the file, below the folder of the compiler. */
static void add_missing(struct img_split *split, Dwarf_Die *unit)
{
	const char *name = NULL, *dir = NULL;
	Dwarf_Attribute attr;

	if (dwarf_attr(unit, DW_AT_dwo_name, &attr) ||
	    dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr))
		name = dwarf_formstring(&attr);
	if (dwarf_attr(unit, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	if (split->nr_missing++ || !name)
		return;
	if (asprintf(&split->missing, "%s%s%s", dir && name[0] != '/' ? dir : "",
		     dir && name[0] != '/' ? "/" : "", name) < 0)
		split->missing = NULL;
}

bool img_split_functions(struct img_split *split, Dwarf_Die *unit, Dwarf_Die *functions)
{
	uint8_t type;

	*functions = *unit;
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton)
		return true;
	dwarf_cu_info(unit->cu, NULL, NULL, NULL, functions, NULL, NULL, NULL);
	if (functions->addr)
		return true;
	add_missing(split, unit);
	return false;
}

bool img_split_unread(const char *program)
{
	int major = 0, minor = 0;
	bool there;
	char *path;

	sscanf(dwfl_version(NULL), "%d.%d", &major, &minor);
	if (major || minor >= 191 || asprintf(&path, "%s.dwp", program) < 0)
		return false;
	there = !access(path, F_OK);
	free(path);
	return there;
}

void img_split_free(struct img_split *split)
{
	free(split->missing);
}
