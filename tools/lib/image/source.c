// SPDX-License-Identifier: GPL-2.0-only
/* Lines of source, by libdw: of the file itself, or of the one with its symbols. */
#include "base/array.h"
#include "image/inlines.h"
#include "image/internal.h"
#include "image/module.h"
#include "image/ranges.h"
#include "image/sums.h"
#include "image/unpack.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Addresses of a unit, as the debug information has them. */
struct range {
	uint64_t start, end;
	Dwarf_Die unit;
};

/* A file as libdw reads it. */
struct opened {
	int fd; /* from which libdw knows the name; -1: none */
	Elf *elf;
	Dwarf *dwarf; /* NULL: there is none */
	struct img_unpacked unpacked;
};

struct img_source {
	Dwarf *dwarf; /* NULL: there is none */
	struct img_module_debug *module; /* has dwarf; NULL: the file is linked */
	bool damaged;
	const char *path; /* of its file, as it was opened */
	struct opened own; /* has dwarf, too, unless the file is a module */
	struct img_file alt; /* what it shares with others; libdw may have found another one */
	struct opened of_alt;
	/* The form of compression that hides some or all of it; 0: none. */
	unsigned int unknown;
	const char *unknown_path; /* of the file in which it is */
	char *missing_alt; /* the name in .gnu_debugaltlink; NULL: it is there, or there is none */
	uint64_t moved; /* of the file, against the debug information */
	struct range *ranges; /* by address */
	size_t nr, cap;
	bool too_many; /* ranges, of which those are the first */
	struct img_inlines *inlines; /* NULL: not asked for */
};

/* False: out of memory. Of a module, sections have no addresses. */
static bool find_code(const struct img_source *source, struct img_segments *code)
{
	Elf *elf = dwarf_getelf(source->dwarf);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (!source->module && (scn = img_next_section(elf, scn, &sh)))
		if (sh.sh_flags & SHF_EXECINSTR && sh.sh_size &&
		    !img_add_segment(code, sh.sh_addr, sh.sh_offset, sh.sh_size, NULL))
			return false;
	if (code->nr)
		qsort(code->v, code->nr, sizeof(*code->v), array_order);
	return true;
}

/*
 * False: out of memory, or too many. What the linker dropped lies at 0 or thereabouts, where other
 * things than code are. In a module, the end of a range is a difference of two places, which
 * only the linker computes.
 */
static bool add_unit(struct img_source *source, const struct img_segments *code,
		     Dwarf_Die *unit, struct img_ranges *left)
{
	Dwarf_Addr start, end;
	ptrdiff_t at = 0;

	while (img_next_range(left, unit, &at, &start, &end)) {
		if (code->nr && !img_segment_at(code, start))
			continue;
		if (!array_room(&source->ranges, source->nr, &source->cap,
				sizeof(*source->ranges)))
			return false;
		source->ranges[source->nr++] =
			(struct range){ start, source->module ? UINT64_MAX : end, *unit };
	}
	return !left->too_many;
}

/* What is damaged, or has no room, ends the units. */
static void add_units(struct img_source *source)
{
	struct img_segments code = { 0 };
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	struct img_ranges left = img_ranges_of(source->dwarf);
	bool room = find_code(source, &code);

	while (room && !dwarf_get_units(source->dwarf, cu, &cu, NULL, &type, &unit, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			room = add_unit(source, &code, &unit, &left);
	source->too_many = left.too_many;
	free(code.v);
	if (source->nr)
		qsort(source->ranges, source->nr, sizeof(*source->ranges),
		      array_order);
}

static void close_opened(struct opened *opened)
{
	dwarf_end(opened->dwarf);
	elf_end(opened->elf);
	img_unpacked_free(&opened->unpacked);
	if (opened->fd >= 0)
		close(opened->fd);
	*opened = (struct opened){ .fd = -1 };
}

/*
 * By its name, beside which libdw looks for split debug information. libdw and img_unpack()
 * write to what libelf has mapped, and ours is only to be read.
 */
static void open_by_name(struct opened *opened, const char *path)
{
	opened->fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (opened->fd >= 0)
		opened->elf = elf_begin(opened->fd, ELF_C_READ_MMAP, NULL);
	if (!opened->elf)
		return;
	img_unpack(&opened->unpacked, opened->elf);
	opened->dwarf = dwarf_begin_elf(opened->elf, DWARF_C_READ, NULL);
}

static void close_units(struct img_source *source)
{
	img_module_debug_free(source->module);
	source->module = NULL;
	source->dwarf = NULL;
	close_opened(&source->own);
	close_opened(&source->of_alt);
	img_close_file(&source->alt);
}

static void open_dwarf(struct img_source *source, const struct img_file *file)
{
	struct opened *own = &source->own;

	if (img_is_unlinked(file->elf)) {
		source->module = img_module_debug(file->elf, &own->unpacked, &source->dwarf,
						  &source->damaged);
	} else {
		open_by_name(own, file->path);
		source->dwarf = own->dwarf;
	}
	if (own->unpacked.unknown) {
		source->damaged = false;
		source->unknown = own->unpacked.unknown;
		source->unknown_path = file->path;
	}
}

/* libdw itself looks only for a name of this machine, or beside the debug file. */
static void open_alt(struct img_source *source, struct img *img)
{
	const char *name;
	const void *id;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(source->dwarf, &name, &id);

	if (size <= 0)
		return;
	if (img_open_alt_file(img, &source->alt, name, id, size))
		open_by_name(&source->of_alt, source->alt.path);
	if (source->of_alt.dwarf) {
		dwarf_setalt(source->dwarf, source->of_alt.dwarf);
	} else if (!dwarf_getalt(source->dwarf)) {
		free(source->missing_alt);
		source->missing_alt = strdup(name);
	}
}

/* file: the one that was asked for, or its debug file. */
static void open_units(struct img_source *source, struct img *img, const struct img_file *file)
{
	if (!file->elf)
		return;
	source->path = file->path;
	open_dwarf(source, file);
	if (source->dwarf) {
		open_alt(source, img);
		add_units(source);
	}
	if (!source->nr) {
		source->damaged |= source->own.unpacked.damaged && !source->unknown;
		close_units(source);
	} else if (!source->own.unpacked.unknown) {
		source->unknown = 0;
	}
}

static struct img_source *open_source(struct img_file *file)
{
	struct img_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->own.fd = -1;
	source->of_alt.fd = -1;
	open_units(source, file->img, file);
	if (!source->dwarf && !source->damaged && img_debug_elf(file, &source->moved))
		open_units(source, file->img, file->debug);
	return source;
}

void img_free_source(struct img_source *source)
{
	if (!source)
		return;
	img_free_inlines(source->inlines);
	close_units(source);
	free(source->missing_alt);
	free(source->ranges);
	free(source);
}

/* NULL: out of memory. */
static struct img_source *source_of(struct img_file *file)
{
	if (!file->source)
		file->source = open_source(file);
	return file->source;
}

struct Dwarf *img_dwarf(struct img_file *file, uint64_t *moved, bool *damaged)
{
	const struct img_source *source = file->state == IMG_OK ? source_of(file) : NULL;

	*damaged = source && source->damaged;
	if (!source || !source->dwarf)
		return NULL;
	*moved = source->moved;
	return source->dwarf;
}

const char *img_missing_alt(const struct img_file *file)
{
	return file->source ? file->source->missing_alt : NULL;
}

unsigned int img_unknown_form(const struct img_file *file)
{
	return file->source ? file->source->unknown : 0;
}

/*
 * The unit that an address is of. *addr becomes the address that the unit has. False:
 * none is known.
 */
static bool find_unit(struct img_file *file, Dwarf_Die **unit, uint64_t *addr)
{
	struct img_source *source = source_of(file);
	size_t i;

	if (!source)
		return false;
	*addr -= source->moved;
	i = array_upto(source->ranges, source->nr, sizeof(*source->ranges), *addr);
	if (!i || *addr >= source->ranges[i - 1].end)
		return false;
	*unit = &source->ranges[i - 1].unit;
	return true;
}

/* NULL: out of memory. */
static struct img_inlines *inlines_of(struct img_source *source)
{
	if (!source->inlines)
		source->inlines = img_new_inlines(source->dwarf);
	return source->inlines;
}

/*
 * GCC gives the nops at a function's start, which the kernel's ftrace changes, to no function and
 * no line. They are then behind the last row of the function before it, in the table of lines.
 */
static bool is_of_function_before(struct img_file *file, Dwarf_Die *unit, uint64_t addr,
				  Dwarf_Line *row)
{
	struct img_source *source = file->source;
	struct img_inlines *inlines;
	struct img_function function;
	Dwarf_Addr start;

	if (dwarf_lineaddr(row, &start) ||
	    !img_function_at(file, addr + source->moved, &function) ||
	    start + source->moved >= function.start)
		return false;
	inlines = inlines_of(source);
	return inlines && img_in_function(inlines, unit, start) &&
	       !img_in_function(inlines, unit, addr);
}

bool img_line_at(struct img_file *file, uint64_t addr, const char **path,
		 unsigned int *line)
{
	Dwarf_Die *unit;
	Dwarf_Line *row;
	bool end;
	int n;

	if (!find_unit(file, &unit, &addr))
		return false;
	row = dwarf_getsrc_die(unit, addr);
	/* 0 is the compiler's word for code of no line. */
	if (!row || dwarf_lineendsequence(row, &end) || end ||
	    dwarf_lineno(row, &n) || n <= 0 || is_of_function_before(file, unit, addr, row))
		return false;
	*path = dwarf_linesrc(row, NULL, NULL);
	*line = n;
	return *path;
}

bool img_built_at(struct img_file *file, uint64_t addr, struct img_built *built)
{
	unsigned int line;
	const char *path;
	Dwarf_Die *unit;

	if (!img_line_at(file, addr, &path, &line) || !find_unit(file, &unit, &addr))
		return false;
	*built = (struct img_built){ .path = file->source->path };
	/* The line table of a module is not where its file has it. */
	built->has_md5 = !file->source->module &&
			 img_source_md5(file->source->dwarf, unit, path, built->md5);
	return built->path;
}

bool img_built(struct img_file *file, uint64_t offset, struct img_built *built)
{
	uint64_t addr;

	return img_code_addr(file, offset, &addr) && img_built_at(file, addr, built);
}

bool img_line(struct img_file *file, uint64_t offset, const char **path,
	      unsigned int *line)
{
	uint64_t addr;

	return img_code_addr(file, offset, &addr) && img_line_at(file, addr, path, line);
}

size_t img_frames_at(struct img_file *file, uint64_t addr, struct img_frame *v, size_t max)
{
	struct img_frame row = { 0 };
	struct img_inlines *inlines;
	Dwarf_Die *unit;

	if (!max || !img_line_at(file, addr, &row.path, &row.line) ||
	    !find_unit(file, &unit, &addr))
		return 0;
	inlines = inlines_of(file->source);
	v[0] = row;
	return inlines ? img_find_inlines(inlines, unit, addr, v, max) : 1;
}

size_t img_frames(struct img_file *file, uint64_t offset, struct img_frame *v, size_t max)
{
	uint64_t addr;

	return img_code_addr(file, offset, &addr) ? img_frames_at(file, addr, v, max) : 0;
}

/* Returns the message, or NULL. */
static char *say_split(const struct img_split *split, const char *path)
{
	char *text;
	int n;

	if (split->nr_missing && img_split_unread(path))
		n = asprintf(&text,
			     "%s: inlined functions, because it was built with -gsplit-dwarf, and the elfutils of this machine cannot read %s.dwp; use elfutils 0.191 or newer, or put the .dwo files beside the program",
			     path, path);
	else if (split->nr_missing)
		n = asprintf(&text,
			     "%s: inlined functions, because it was built with -gsplit-dwarf, and %s was not found, or is of another build (such .dwo files: %u); put the .dwo files of this build beside the program, or pack them into %s.dwp",
			     path, split->missing ?: "a .dwo file", split->nr_missing, path);
	else
		n = asprintf(&text,
			     "%s: some inlined functions, because it was built with -gsplit-dwarf by a compiler that leaves the sizes of RISC-V functions out of .dwo files; build it without -gsplit-dwarf",
			     path);
	return n < 0 ? NULL : text;
}

/* Returns the message, or NULL. */
static char *say_alt(const struct img_source *source)
{
	char *text;

	return asprintf(&text,
			"%s: inlined functions, because dwz -m moved their names to %s, which was not found; name this file, or a folder that has it, with --code",
			source->path, source->missing_alt) < 0 ? NULL : text;
}

/* Returns the message, or NULL. */
static char *say_unknown(const struct img_source *source)
{
	char *text;

	return asprintf(&text,
			"%s: source lines and inlined functions, because the debug information is compressed in a form that ssctr does not know (ch_type %u); unpack it with objcopy --decompress-debug-sections",
			source->unknown_path, source->unknown) < 0 ? NULL : text;
}

/* Returns the message, or NULL. */
static char *say_damaged(const struct img_source *source)
{
	char *text;

	return asprintf(&text,
			"%s: source lines and inlined functions, because the debug information is damaged, or would take more than 64 MiB and 32 times the size of the file",
			source->path) < 0 ? NULL : text;
}

/* Returns the message, or NULL. */
static char *say_too_many(const struct img_source *source)
{
	char *text;

	return asprintf(&text,
			"%s: some %s, because the debug information is damaged: it has more ranges of addresses than the file has bytes",
			source->path,
			source->too_many ? "source lines and inlined functions" :
					   "inlined functions") < 0 ? NULL : text;
}

const char *img_file_unnamed(struct img_file *file)
{
	const struct img_source *source = file->source;
	const struct img_split *split = source && source->inlines ?
						img_inlines_split(source->inlines) : NULL;

	if (!file->unnamed && source && source->unknown)
		file->unnamed = say_unknown(source);
	if (!file->unnamed && source && (source->damaged || source->own.unpacked.damaged))
		file->unnamed = say_damaged(source);
	if (!file->unnamed && source &&
	    (source->too_many || (source->inlines && img_inlines_too_many(source->inlines))))
		file->unnamed = say_too_many(source);
	if (!file->unnamed && split && (split->nr_missing || split->without_ends))
		file->unnamed = say_split(split, source->path);
	if (!file->unnamed && split && source->missing_alt)
		file->unnamed = say_alt(source);
	return file->unnamed ?: "";
}
