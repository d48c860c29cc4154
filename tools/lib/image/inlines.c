// SPDX-License-Identifier: GPL-2.0-only
/*
 * A unit's functions are read once, when the first of its addresses is asked for. What was
 * inlined in one is looked for at each address, in that function alone.
 */
#include "image/inlines.h"
#include "base/array.h"
#include "image/ranges.h"

#include <dwarf.h>
#include <stdlib.h>

/* A loop in damaged data ends. */
enum { MAX_DEPTH = 200, MAX_FRAMES = 64 };

struct function {
	uint64_t start, end;
	Dwarf_Die die;
};

struct unit {
	const void *die; /* libdw's place of it */
	Dwarf_Die functions; /* the unit that has them, which may be of another file */
	/* The ends of functions are left to the linker, which does not see this file. */
	bool without_ends;
	struct function *v; /* by address */
	size_t nr, cap;
};

struct img_inlines {
	struct unit *units;
	size_t nr, cap;
	size_t hit; /* the unit found last */
	struct img_split split;
	struct img_ranges at_most; /* at one address */
	struct img_ranges ranges; /* of functions */
};

struct img_inlines *img_new_inlines(Dwarf *dwarf)
{
	struct img_inlines *inlines = calloc(1, sizeof(*inlines));

	if (inlines)
		inlines->at_most = inlines->ranges = img_ranges_of(dwarf);
	return inlines;
}

void img_free_inlines(struct img_inlines *inlines)
{
	size_t i;

	if (!inlines)
		return;
	for (i = 0; i < inlines->nr; i++)
		free(inlines->units[i].v);
	free(inlines->units);
	img_split_free(&inlines->split);
	free(inlines);
}

const struct img_split *img_inlines_split(const struct img_inlines *inlines)
{
	return &inlines->split;
}

bool img_inlines_too_many(const struct img_inlines *inlines)
{
	return inlines->ranges.too_many;
}

/* What has no room is left out. */
static void add_function(struct img_inlines *inlines, struct unit *u, Dwarf_Die *die)
{
	Dwarf_Addr start, end;
	ptrdiff_t at = 0;

	while (img_next_range(&inlines->ranges, die, &at, &start, &end)) {
		if (start && start == end && u->functions.addr != u->die) {
			u->without_ends = true;
			/* No other one lies between it and the next. */
			end = UINT64_MAX;
		}
		/* What the linker dropped lies at 0. */
		if (start >= end || !start)
			continue;
		if (!array_room(&u->v, u->nr, &u->cap, sizeof(*u->v)))
			return;
		u->v[u->nr++] = (struct function){ start, end, *die };
	}
}

static void add_functions(struct img_inlines *inlines, struct unit *u, Dwarf_Die *parent,
			  unsigned int depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_function(inlines, u, &die);
			/* A lambda is a class in a function. */
			add_functions(inlines, u, &die, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			add_functions(inlines, u, &die, depth + 1);
		}
	} while (!inlines->ranges.too_many && !dwarf_siblingof(&die, &die));
}

static unsigned int version_of(const Dwarf_Die *unit)
{
	Dwarf_Half version = 0;

	dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
	return version;
}

static void read_unit(struct img_inlines *inlines, struct unit *u, Dwarf_Die *die)
{
	if (img_split_functions(&inlines->split, die, &u->functions))
		add_functions(inlines, u, &u->functions, 0);
	inlines->split.without_ends |= u->without_ends;
	/*
	 * In DWARF 5 the ranges of inlined functions are in the same file, and wrong. In
	 * DWARF 4 the program has most of them.
	 */
	if (u->without_ends && version_of(die) >= 5)
		u->nr = 0;
	if (u->nr)
		qsort(u->v, u->nr, sizeof(*u->v), array_order);
}

/* NULL: out of memory. */
static struct unit *unit_of(struct img_inlines *inlines, Dwarf_Die *die)
{
	struct unit *u;
	size_t i;

	if (inlines->hit < inlines->nr && inlines->units[inlines->hit].die == die->addr)
		return &inlines->units[inlines->hit];
	for (i = 0; i < inlines->nr && inlines->units[i].die != die->addr; i++)
		;
	inlines->hit = i;
	if (i < inlines->nr)
		return &inlines->units[i];
	if (!array_room(&inlines->units, inlines->nr, &inlines->cap, sizeof(*inlines->units)))
		return NULL;
	u = &inlines->units[inlines->nr++];
	*u = (struct unit){ .die = die->addr };
	read_unit(inlines, u, die);
	return u;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static void set_function(struct img_frame *frame, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word line;

	frame->name = text_of(die, DW_AT_name);
	frame->symbol = text_of(die, DW_AT_linkage_name);
	frame->start = dwarf_attr_integrate(die, DW_AT_decl_line, &attr) &&
				       !dwarf_formudata(&attr, &line) ? line : 0;
}

static bool number_of(Dwarf_Die *die, unsigned int name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, value);
}

/* In DWARF 5 the unit's own file is number 0; in older ones 0 is none, and libdw names it "???". */
static bool is_file(Dwarf_Die *unit, Dwarf_Word file)
{
	return file || version_of(unit) >= 5;
}

/* Where an inlined function was called. */
static void set_line(struct img_frame *frame, Dwarf_Die *unit, Dwarf_Die *inlined,
		     const char *path)
{
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t nr;

	frame->line = number_of(inlined, DW_AT_call_line, &line) ? line : 0;
	frame->path = NULL;
	if (number_of(inlined, DW_AT_call_file, &file) && is_file(unit, file) &&
	    !dwarf_getsrcfiles(unit, &files, &nr) && file < nr)
		frame->path = dwarf_filesrc(files, file, NULL, NULL);
	if (!frame->path)
		frame->path = path;
}

static bool has_address(struct img_ranges *ranges, Dwarf_Die *die, uint64_t addr)
{
	Dwarf_Addr start, end;
	ptrdiff_t at = 0;

	while (img_next_range(ranges, die, &at, &start, &end))
		if (addr >= start && addr < end)
			return true;
	return false;
}

/* The inlined function at an address, in a function or a block of it. */
static bool find_inlined(struct img_ranges *ranges, Dwarf_Die *parent, uint64_t addr,
			 Dwarf_Die *found, unsigned int depth)
{
	Dwarf_Die die;

	if (ranges->too_many || depth > MAX_DEPTH || dwarf_child(parent, &die))
		return false;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			if (has_address(ranges, &die, addr)) {
				*found = die;
				return true;
			}
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (find_inlined(ranges, &die, addr, found, depth + 1))
				return true;
		}
	} while (!ranges->too_many && !dwarf_siblingof(&die, &die));
	return false;
}

/* NULL: none, or out of memory. */
static const struct function *function_at(const struct unit *u, uint64_t addr)
{
	const size_t at = u ? array_upto(u->v, u->nr, sizeof(*u->v), addr) : 0;

	return at && addr < u->v[at - 1].end ? &u->v[at - 1] : NULL;
}

bool img_in_function(struct img_inlines *inlines, Dwarf_Die *unit, uint64_t addr)
{
	return function_at(unit_of(inlines, unit), addr);
}

size_t img_find_inlines(struct img_inlines *inlines, Dwarf_Die *unit, uint64_t addr,
			struct img_frame *v, size_t max)
{
	struct unit *u = unit_of(inlines, unit);
	const struct function *function = function_at(u, addr);
	const struct img_frame row = v[0];
	Dwarf_Die chain[MAX_FRAMES];
	struct img_ranges ranges = inlines->at_most;
	size_t nr = 1, i;

	if (!function)
		return 1;
	ranges.too_many = inlines->ranges.too_many;
	chain[0] = function->die;
	while (nr < MAX_FRAMES && find_inlined(&ranges, &chain[nr - 1], addr, &chain[nr], 0))
		nr++;
	inlines->ranges.too_many = ranges.too_many;
	/* The innermost one first, which has the line that the address is of. */
	for (i = 0; i < nr && i < max; i++) {
		set_function(&v[i], &chain[nr - 1 - i]);
		if (i)
			set_line(&v[i], &u->functions, &chain[nr - i], row.path);
	}
	return nr < max ? nr : max;
}
