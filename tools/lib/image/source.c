// SPDX-License-Identifier: GPL-2.0-only
/* Lines of source, by libdw: of the file itself, or of the one with its symbols. */
#include "base/array.h"
#include "image/internal.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

/* Where addresses of a unit begin; its rows tell where they end. */
struct range {
	uint64_t start; /* as the debug information has it */
	Dwarf_Die unit;
};

struct img_source {
	Dwarf *dwarf;
	uint64_t moved; /* of the file, against the debug information */
	struct range *ranges; /* by address */
	size_t nr, cap;
};

/* False: out of memory. */
static bool add_unit(struct img_source *source, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		if (!array_room(&source->ranges, source->nr, &source->cap,
				sizeof(*source->ranges)))
			return false;
		source->ranges[source->nr++] =
			(struct range){ start, *unit };
	}
	return true;
}

/* What is damaged, or has no room, ends the units. */
static void add_units(struct img_source *source)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	while (!dwarf_get_units(source->dwarf, cu, &cu, NULL, &type, &unit, NULL))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    !add_unit(source, &unit))
			break;
	if (source->nr)
		qsort(source->ranges, source->nr, sizeof(*source->ranges),
		      array_order);
}

static void open_units(struct img_source *source, Elf *elf)
{
	source->dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (source->dwarf)
		add_units(source);
}

static struct img_source *open_source(struct img_file *file)
{
	struct img_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	open_units(source, file->elf);
	if (!source->nr) {
		dwarf_end(source->dwarf);
		open_units(source, img_debug_elf(file, &source->moved));
	}
	return source;
}

void img_free_source(struct img_source *source)
{
	if (!source)
		return;
	dwarf_end(source->dwarf);
	free(source->ranges);
	free(source);
}

bool img_line(struct img_file *file, uint64_t offset, const char **path,
	      unsigned int *line)
{
	struct img_source *source = file->source;
	Dwarf_Line *row;
	uint64_t addr;
	bool end;
	int n;
	size_t i;

	if (!img_code_addr(file, offset, &addr))
		return false;
	if (!source)
		source = file->source = open_source(file);
	if (!source)
		return false;
	addr -= source->moved;
	i = array_upto(source->ranges, source->nr, sizeof(*source->ranges), addr);
	row = i ? dwarf_getsrc_die(&source->ranges[i - 1].unit, addr) : NULL;
	/* 0 is the compiler's word for code of no line. */
	if (!row || dwarf_lineendsequence(row, &end) || end ||
	    dwarf_lineno(row, &n) || n <= 0)
		return false;
	*path = dwarf_linesrc(row, NULL, NULL);
	*line = n;
	return *path;
}
