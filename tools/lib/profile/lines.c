// SPDX-License-Identifier: GPL-2.0-only
#include "profile/lines.h"
#include "base/array.h"
#include "base/hash.h"
#include "image/ranges.h"
#include "profile/probe_file.h"
#include "profile/suffix.h"
#include "profile/thunk.h"
#include "profile/wide.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What LLVM and GCC add to calls that were inlined; old headers lack it. */
#ifndef DW_AT_GNU_discriminator
#define DW_AT_GNU_discriminator 0x2136
#endif

struct prof_unit {
	Dwarf_Lines *lines;
	size_t nr_lines;
	size_t hit; /* the row found last */
	struct prof_wide wide;
};

/* A scope's addresses, before they are cut to pieces by those inside. */
struct interval {
	uint64_t start, end;
	uint32_t scope;
	uint32_t depth;
};

/* A function without a line of its own, and a line that something else tells for it. */
struct unlined {
	uint64_t origin;
	bool by_code; /* by its code, and not by the class around it */
	uint32_t line;
};

struct build {
	struct prof_lines *lines;
	const struct prof *prof;
	struct interval *v;
	size_t nr, cap;
	struct unlined *unlined;
	size_t nr_unlined, cap_unlined;
	struct hash functions; /* by name; empty: nobody has asked for one */
	struct img_ranges of_units, of_scopes; /* which may still be read */
	bool no_memory;
};

/* Scopes nest as deep as functions were inlined; a loop in damaged data ends. */
enum { MAX_DEPTH = 200 };

/* --- from debug information to scopes --- */

static uint32_t number(Dwarf_Die *die, unsigned int name, bool inherited)
{
	Dwarf_Attribute attr, *found;
	Dwarf_Word value;

	found = inherited ? dwarf_attr_integrate(die, name, &attr) :
			    dwarf_attr(die, name, &attr);
	return found && !dwarf_formudata(found, &value) ? value : 0;
}

/* *linked: it is the name by which it is linked. */
static const char *name_of(Dwarf_Die *die, bool *linked)
{
	static const unsigned int names[] = { DW_AT_linkage_name,
					      DW_AT_MIPS_linkage_name,
					      DW_AT_name };
	Dwarf_Attribute attr;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		*linked = names[i] != DW_AT_name;
		if (dwarf_attr_integrate(die, names[i], &attr))
			return dwarf_formstring(&attr);
	}
	return NULL;
}

/* What is the same for a function and all that was made of it. */
static const void *origin_of(const Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attr;
	unsigned int depth;

	for (depth = 0; depth < 4 && dwarf_attr(&at, DW_AT_abstract_origin, &attr) &&
			dwarf_formref_die(&attr, &next);
	     depth++)
		at = next;
	return at.addr;
}

/* libdw's own function for it aborts if the unit has no table of files. */
static const char *decl_file(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word file;
	Dwarf_Die unit;
	size_t nr;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &file) ||
	    !dwarf_cu_die(attr.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || file >= nr)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

static void add_interval(struct build *b, uint64_t start, uint64_t end,
			 uint32_t scope, uint32_t depth)
{
	/* What the linker dropped lies at 0. */
	if (start >= end || !start)
		return;
	if (!array_room(&b->v, b->nr, &b->cap, sizeof(*b->v))) {
		b->no_memory = true;
		return;
	}
	b->v[b->nr++] = (struct interval){ start + b->lines->moved,
					   end + b->lines->moved, scope,
					   depth };
}

/*
 * GCC splits functions, to inline the part that mostly runs. Where it inlines the
 * other part into that again, it says that the function calls itself from where it
 * is declared: from its own name, where no call can be.
 */
static bool is_split(const struct prof_lines *lines,
		     const struct prof_scope *sc, Dwarf_Die *die)
{
	uint32_t column = number(die, DW_AT_call_column, false);

	return sc->parent != PROF_NO_SCOPE && column &&
	       column == number(die, DW_AT_decl_column, true) &&
	       sc->call_line == sc->line &&
	       !strcmp(sc->name, lines->scopes[sc->parent].name);
}

/*
 * GCC's debug information begins a function behind the nops of -fpatchable-function-entry, such as
 * those of the kernel's ftrace. The symbol, to which calls lead, is before them.
 */
static uint64_t before_nops(const struct prof_code *code, uint64_t start)
{
	const struct img_symbol *symbol = prof_code_symbol(code, start);
	uint64_t at = symbol ? symbol->start : start;
	unsigned int size;

	while (at < start && (size = prof_code_nop_size(code, at)))
		at += size;
	return symbol && at == start ? symbol->start : start;
}

/*
 * Where the code begins of a function whose ranges, in their order, begin with number first. GCC
 * tells the cold part last, and it mostly has the lower address; tools that move code sort them.
 * So the symbol decides, and the order only where there is none.
 */
static uint64_t find_start(const struct build *b, Dwarf_Die *die, size_t first)
{
	Dwarf_Addr entry;
	size_t i;

	if (!dwarf_entrypc(die, &entry))
		return entry + b->lines->moved;
	for (i = first; i < b->nr; i++) {
		const uint64_t start = b->v[i].start;
		const struct img_symbol *symbol = prof_code_symbol(b->prof->code, start);

		if (symbol && symbol->start == before_nops(b->prof->code, start) &&
		    !prof_name_is_part(symbol->name))
			return start;
	}
	return b->v[first].start;
}

/* The nops before a function's code, if there are any. */
static void add_nops(struct build *b, uint64_t start, uint64_t end, uint32_t scope)
{
	struct prof_lines *lines = b->lines;

	if (start == end)
		return;
	if (!array_room(&lines->nops, lines->nr_nops, &lines->cap_nops, sizeof(*lines->nops)))
		b->no_memory = true;
	else
		lines->nops[lines->nr_nops++] = (struct prof_span){ start, end, scope };
}

/* --- lines of functions that the compiler made --- */

static uint64_t row_addr(const struct prof_unit *unit, size_t i)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(dwarf_onesrcline(unit->lines, i), &addr);
	return addr;
}

/* The first row that is not before an address. */
static size_t first_row(const struct prof_unit *unit, uint64_t start)
{
	size_t low = 0, high = unit->nr_lines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (row_addr(unit, middle) < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The line of the function's start, which is the first of its rows; 0: not known. */
static uint32_t start_line(const struct prof_unit *unit, uint64_t start)
{
	size_t i;
	bool end;
	int n;

	for (i = first_row(unit, start); i < unit->nr_lines && row_addr(unit, i) == start; i++) {
		Dwarf_Line *row = dwarf_onesrcline(unit->lines, i);

		/* One that ends the code of the function before it is not of it. */
		if (!dwarf_lineendsequence(row, &end) && !end)
			return dwarf_lineno(row, &n) || n < 0 ? 0 : n;
	}
	return 0;
}

/*
 * GCC makes functions of lambdas and of the bodies of coroutines. It counts their lines from
 * the '[' of the lambda, or from the name of the coroutine, and does not tell this line in their
 * debug information. Their code starts with it. The class of a lambda begins at the ']'.
 */
static bool lacks_line(Dwarf_Die *die)
{
	return dwarf_hasattr_integrate(die, DW_AT_artificial) &&
	       !dwarf_hasattr_integrate(die, DW_AT_decl_line);
}

static void add_unlined(struct build *b, const void *origin, bool by_code, uint32_t line)
{
	if (!line)
		return;
	if (!array_room(&b->unlined, b->nr_unlined, &b->cap_unlined, sizeof(*b->unlined))) {
		b->no_memory = true;
		return;
	}
	b->unlined[b->nr_unlined++] = (struct unlined){ (uintptr_t)origin, by_code, line };
}

static int by_origin(const void *va, const void *vb)
{
	const struct unlined *a = va, *b = vb;

	if (a->origin != b->origin)
		return a->origin < b->origin ? -1 : 1;
	if (a->by_code != b->by_code)
		return a->by_code ? 1 : -1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* All copies of a function get the same line: the last one of its origin. */
static void line_scopes(struct build *b)
{
	size_t i, n;

	if (!b->nr_unlined)
		return;
	qsort(b->unlined, b->nr_unlined, sizeof(*b->unlined), by_origin);
	for (i = 0; i < b->lines->nr_scopes; i++) {
		struct prof_scope *sc = &b->lines->scopes[i];

		n = sc->line ? 0 : array_upto(b->unlined, b->nr_unlined, sizeof(*b->unlined),
					      (uintptr_t)sc->origin);
		if (n && b->unlined[n - 1].origin == (uintptr_t)sc->origin)
			sc->line = b->unlined[n - 1].line;
	}
}

/* --- functions --- */

static bool has_too_many(const struct build *b)
{
	return b->of_units.too_many || b->of_scopes.too_many;
}

/* PROF_NO_SCOPE: it has no code of its own. */
static uint32_t add_scope(struct build *b, Dwarf_Die *die, uint32_t parent,
			  uint32_t depth)
{
	struct prof_lines *lines = b->lines;
	bool inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	const char *name;
	uint32_t scope = lines->nr_scopes;
	Dwarf_Addr start, end;
	struct prof_scope *sc;
	size_t nr = b->nr;
	ptrdiff_t at = 0;
	bool linked;

	name = name_of(die, &linked);
	/* What was inlined into a function without code was dropped with it. */
	if (!name || (inlined && parent == PROF_NO_SCOPE))
		return PROF_NO_SCOPE;
	while (img_next_range(&b->of_scopes, die, &at, &start, &end))
		add_interval(b, start, end, scope, depth);
	if (b->nr == nr)
		return PROF_NO_SCOPE;
	if (!array_room(&lines->scopes, scope, &lines->cap_scopes,
			sizeof(*lines->scopes))) {
		b->no_memory = true;
		return PROF_NO_SCOPE;
	}
	sc = &lines->scopes[lines->nr_scopes++];
	*sc = (struct prof_scope){
		.name = name,
		.file = decl_file(die),
		.parent = inlined ? parent : PROF_NO_SCOPE,
		.line = number(die, DW_AT_decl_line, true),
		.unit = lines->nr_units - 1,
		.linked = linked,
		.origin = origin_of(die),
	};
	if (inlined) {
		sc->call_line = number(die, DW_AT_call_line, false);
		sc->call_discriminator =
			number(die, DW_AT_GNU_discriminator, false);
		sc->split = is_split(lines, sc, die);
	} else {
		sc->start = find_start(b, die, nr);
		sc->entry = before_nops(b->prof->code, sc->start);
		add_nops(b, sc->entry, sc->start, scope);
		if (lacks_line(die))
			add_unlined(b, sc->origin, true,
				    start_line(&lines->units[sc->unit], sc->start - lines->moved));
	}
	return scope;
}

static bool is_class(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_structure_type || dwarf_tag(die) == DW_TAG_class_type;
}

static void walk(struct build *b, Dwarf_Die *parent, uint32_t outer,
		 uint32_t depth)
{
	Dwarf_Die die;

	if (depth > MAX_DEPTH || dwarf_child(parent, &die))
		return;
	do {
		uint32_t scope = outer;

		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
			if (is_class(parent) && lacks_line(&die))
				add_unlined(b, die.addr, false,
					    number(parent, DW_AT_decl_line, true));
			scope = add_scope(b, &die, outer, depth);
			/* Functions in it may have code where it has none. */
			if (scope == PROF_NO_SCOPE)
				scope = outer;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			break;
		default:
			continue;
		}
		walk(b, &die, scope, depth + 1);
	} while (!b->no_memory && !has_too_many(b) && !dwarf_siblingof(&die, &die));
}

/* --- names --- */

/* As C++ and D make names. In C the name is the symbol's, which may have others. */
static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2) ||
	       (!strncmp(name, "_D", 2) && name[2] >= '0' && name[2] <= '9');
}

/*
 * GCC gives functions that no other file can call, as those of an unnamed namespace,
 * templates over its types, and functions in functions of D, no name by which they are
 * linked. They have one, by which GCC looks for their profile: the symbol's. NULL: none is
 * known.
 */
static const char *symbol_of(const struct prof_code *code,
			     const struct prof_scope *sc)
{
	const struct img_symbol *symbol =
		!sc->linked && sc->entry ? prof_code_symbol(code, sc->entry) : NULL;

	return symbol && symbol->start == sc->entry && is_mangled(symbol->name) ?
		       symbol->name :
		       NULL;
}

/* A scope with this origin that has its symbol's name; NULL: none. */
static const struct prof_scope *find_named(const struct prof_lines *lines,
					   struct hash *named,
					   const void *origin,
					   struct hash_slot **slot)
{
	hash_for_each(named, *slot, hash_u64((uintptr_t)origin))
		if (lines->scopes[(*slot)->number - 1].origin == origin)
			return &lines->scopes[(*slot)->number - 1];
	return NULL;
}

/* What was inlined is called as what was not. False: out of memory. */
static bool name_scopes(struct prof_lines *lines, const struct prof_code *code)
{
	struct hash named = { 0 };
	struct hash_slot *slot;
	bool done = true;
	size_t i;

	for (i = 0; done && i < lines->nr_scopes; i++) {
		struct prof_scope *sc = &lines->scopes[i];
		const char *name = symbol_of(code, sc);

		if (!name)
			continue;
		sc->name = name;
		done = hash_room(&named);
		if (done && !find_named(lines, &named, sc->origin, &slot))
			hash_put(&named, slot, hash_u64((uintptr_t)sc->origin), i);
	}
	for (i = 0; named.nr && i < lines->nr_scopes; i++) {
		struct prof_scope *sc = &lines->scopes[i];
		const struct prof_scope *same =
			sc->linked ? NULL : find_named(lines, &named, sc->origin, &slot);

		if (same)
			sc->name = same->name;
	}
	hash_free(&named);
	return done;
}

/* --- thunks --- */

/* As prof_thunk_rest() has it. */
static uint32_t name_hash(const char *name)
{
	name += strncmp(name, "_Z", 2) ? 0 : 2;
	return hash_bytes(0, name, strlen(name));
}

/* False: out of memory. */
static bool index_functions(struct build *b)
{
	struct hash_slot *slot;
	uint32_t hash;
	size_t i;

	for (i = b->functions.nr ? b->lines->nr_scopes : 0; i < b->lines->nr_scopes; i++) {
		const struct prof_scope *sc = &b->lines->scopes[i];

		if (!sc->entry)
			continue;
		if (!hash_room(&b->functions))
			return false;
		hash = name_hash(sc->name);
		slot = hash_first(&b->functions, hash);
		while (slot->number)
			slot = hash_next(&b->functions, slot);
		hash_put(&b->functions, slot, hash, i);
	}
	return true;
}

/* The function behind a thunk. NULL: none has lines here, or the thunk is known as a function. */
static const struct prof_scope *behind(const struct build *b, const struct img_symbol *thunk)
{
	const struct prof_scope *sc, *found = NULL;
	struct hash_slot *slot;

	if (!b->functions.nr)
		return NULL;
	hash_for_each(&b->functions, slot, name_hash(thunk->name))
		if (b->lines->scopes[slot->number - 1].entry == thunk->start)
			return NULL;
	hash_for_each(&b->functions, slot, name_hash(prof_thunk_rest(thunk->name))) {
		sc = &b->lines->scopes[slot->number - 1];
		if (prof_is_thunk_of(thunk->name, sc->name))
			found = sc;
	}
	return found;
}

/* The line of a row that may be of this function: in its file, and not before it. 0: it is not. */
static uint32_t own_line(const struct prof_unit *unit, const struct prof_scope *sc, size_t i)
{
	Dwarf_Line *row = dwarf_onesrcline(unit->lines, i);
	const char *file = dwarf_linesrc(row, NULL, NULL);
	int line;

	if (!file || !sc->file || strcmp(file, sc->file) || dwarf_lineno(row, &line) ||
	    line <= 0 || (uint32_t)line < sc->line)
		return 0;
	return line;
}

/*
 * The code of a thunk that is of its function. What else was inlined there is not known as such,
 * and its lines would be taken for those of the function. For C++, GCC gives all code of a thunk
 * the first line of the function, whatever lines it is of.
 */
static void add_rows(struct build *b, const struct img_symbol *thunk, uint32_t scope)
{
	struct prof_scope *sc = &b->lines->scopes[scope];
	const struct prof_unit *unit = &b->lines->units[sc->unit];
	const uint64_t start = thunk->start - b->lines->moved;
	const uint64_t end = thunk->end - b->lines->moved;
	size_t i = first_row(unit, start);

	sc->lineless = true;
	for (; i < unit->nr_lines && row_addr(unit, i) < end; i++) {
		const uint64_t next = i + 1 < unit->nr_lines ? row_addr(unit, i + 1) : end;
		const uint32_t line = own_line(unit, sc, i);

		if (line)
			add_interval(b, row_addr(unit, i), next < end ? next : end, scope, 0);
		if (line != sc->line || row_addr(unit, i) > start)
			sc->lineless = false;
	}
}

/* False: out of memory. */
static bool add_thunk(struct build *b, const struct img_symbol *thunk)
{
	struct prof_lines *lines = b->lines;
	const struct prof_scope *function;
	struct prof_scope sc;

	if (prof_thunk_jumps(b->prof->code, thunk))
		return true;
	if (!index_functions(b))
		return false;
	function = behind(b, thunk);
	if (!function)
		return true;
	sc = *function;
	sc.entry = sc.start = thunk->start;
	if (!array_room(&lines->scopes, lines->nr_scopes, &lines->cap_scopes, sizeof(sc)))
		return false;
	lines->scopes[lines->nr_scopes++] = sc;
	add_rows(b, thunk, lines->nr_scopes - 1);
	return !b->no_memory;
}

/* The straight lines are in the order of their addresses. False: out of memory. */
static bool add_thunks(struct build *b)
{
	const struct img_symbol *symbol, *last = NULL;
	size_t i;

	for (i = 0; i < b->prof->nr_ranges; i++) {
		symbol = prof_code_symbol(b->prof->code, b->prof->ranges[i].start);
		if (symbol && symbol != last && prof_thunk_rest(symbol->name) &&
		    !add_thunk(b, symbol))
			return false;
		last = symbol;
	}
	return true;
}

/* --- from scopes to spans --- */

static int by_address(const void *va, const void *vb)
{
	const struct prof_span *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->scope < b->scope ? -1 : a->scope > b->scope;
}

static int by_start(const void *va, const void *vb)
{
	const struct interval *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return a->scope < b->scope ? -1 : a->scope > b->scope;
}

static bool add_span(struct prof_lines *lines, uint64_t start, uint64_t end,
		     uint32_t scope)
{
	struct prof_span *last = lines->spans + lines->nr_spans;

	if (start >= end)
		return true;
	if (lines->nr_spans && last[-1].end == start &&
	    last[-1].scope == scope) {
		last[-1].end = end;
		return true;
	}
	if (!array_room(&lines->spans, lines->nr_spans, &lines->cap_spans,
			sizeof(*lines->spans)))
		return false;
	lines->spans[lines->nr_spans++] =
		(struct prof_span){ start, end, scope };
	return true;
}

/*
 * The intervals by start, those around before those inside: what is open is a
 * stack, whose top the code belongs to until the next one starts or it ends. All that
 * have ended leave it, also those that end where the next one starts: functions that
 * end with code that was inlined, and follow one another, would fill it.
 */
static bool make_spans(struct build *b)
{
	struct interval *stack[MAX_DEPTH + 2];
	unsigned int top = 0;
	uint64_t at = 0;
	size_t i;

	if (b->nr)
		qsort(b->v, b->nr, sizeof(*b->v), by_start);
	for (i = 0; i <= b->nr; i++) {
		uint64_t start = i < b->nr ? b->v[i].start : UINT64_MAX;

		while (top) {
			struct interval *in = stack[top - 1];
			uint64_t end = in->end < start ? in->end : start;

			if (!add_span(b->lines, at, end, in->scope))
				return false;
			if (end > at)
				at = end;
			if (in->end > start)
				break;
			top--;
		}
		at = start;
		if (i < b->nr && top <= MAX_DEPTH)
			stack[top++] = &b->v[i];
	}
	return true;
}

/* --- units --- */

/* A unit that says of no addresses is looked into. */
static bool unit_is_wanted(struct build *b, Dwarf_Die *die)
{
	Dwarf_Addr start, end;
	ptrdiff_t at = 0;
	bool any = false;

	while (img_next_range(&b->of_units, die, &at, &start, &end)) {
		any = true;
		if (prof_has_range(b->prof, before_nops(b->prof->code, start + b->lines->moved),
				   end + b->lines->moved))
			return true;
	}
	return !any;
}

/* What libdw does not keep of a unit's discriminators. False: out of memory. */
static bool read_wide(struct prof_lines *lines, Dwarf_Die *die,
		      struct prof_unit *unit)
{
	Elf *elf = dwarf_getelf(lines->dwarf);
	Dwarf_Word offset;
	Dwarf_Attribute attr;
	const char *ident;
	GElf_Shdr sh;
	Elf_Scn *scn;
	Elf_Data *data;

	scn = img_find_section(elf, SHT_NULL, ".debug_line", &sh);
	data = scn && !(sh.sh_flags & SHF_COMPRESSED) ? elf_getdata(scn, NULL) : NULL;
	ident = elf_getident(elf, NULL);
	if (!data || !data->d_buf || !ident ||
	    !dwarf_attr(die, DW_AT_stmt_list, &attr) ||
	    dwarf_formudata(&attr, &offset) || offset >= data->d_size)
		return true;
	return prof_wide_read(&unit->wide, (char *)data->d_buf + offset,
			      data->d_size - offset,
			      (ident[EI_DATA] == ELFDATA2LSB) !=
				      (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
}

/* die has the lines, and functions those: mostly the same. */
static bool add_unit(struct build *b, Dwarf_Die *die, Dwarf_Die *functions)
{
	struct prof_lines *lines = b->lines;
	struct prof_unit *unit;

	if (!array_room(&lines->units, lines->nr_units, &lines->cap_units,
			sizeof(*unit)))
		return false;
	unit = &lines->units[lines->nr_units++];
	*unit = (struct prof_unit){ 0 };
	if (dwarf_getsrclines(die, &unit->lines, &unit->nr_lines))
		unit->nr_lines = 0;
	if (lines->has_wide && !read_wide(lines, die, unit))
		return false;
	walk(b, functions, PROF_NO_SCOPE, 0);
	return !b->no_memory;
}

/*
 * Assemblers do not tell on which lines functions begin. GNU as tells functions only if the code has
 * their types, and clang none. False: out of memory.
 */
static bool add_assembly(struct build *b, Dwarf_Die *die)
{
	struct prof_lines *lines = b->lines;
	Dwarf_Addr start, end;
	ptrdiff_t at = 0;

	while (img_next_range(&b->of_units, die, &at, &start, &end)) {
		/* As in add_interval(). */
		if (!start)
			continue;
		if (!array_room(&lines->assembly, lines->nr_assembly, &lines->cap_assembly,
				sizeof(*lines->assembly)))
			return false;
		lines->assembly[lines->nr_assembly++] = (struct prof_span){
			start + lines->moved, end + lines->moved, PROF_NO_SCOPE
		};
	}
	return true;
}

/* False: out of memory. */
static bool look_at_unit(struct build *b, uint8_t type, Dwarf_Die *die)
{
	struct prof_lines *lines = b->lines;
	size_t scopes = lines->nr_scopes;
	Dwarf_Die functions;

	if ((type != DW_UT_compile && type != DW_UT_skeleton) ||
	    !unit_is_wanted(b, die) ||
	    !img_split_functions(&lines->split, die, &functions))
		return true;
	if (!add_unit(b, die, &functions) ||
	    (dwarf_srclang(die) == DW_LANG_Mips_Assembler && !add_assembly(b, die)))
		return false;
	/* Sizes that are only known after linking, in a file that is not linked. */
	if (functions.addr != die->addr && lines->nr_scopes == scopes)
		lines->split.without_ends = true;
	return true;
}

enum prof_lines_state prof_lines_open(struct prof_lines *lines,
				      const struct prof *prof)
{
	struct build b = { .lines = lines, .prof = prof };
	bool any = false, done = true, damaged;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	int ret = 0;

	*lines = (struct prof_lines){
		.has_wide = prof_is_flow_sensitive(prof->code) ||
			    prof_has_probes(prof->code),
	};
	lines->dwarf = img_dwarf(prof->code->file, &lines->moved, &damaged);
	if (!lines->dwarf)
		return damaged ? PROF_LINES_DAMAGED : PROF_LINES_NONE;
	b.of_units = b.of_scopes = img_ranges_of(lines->dwarf);
	while (done && !has_too_many(&b) &&
	       !(ret = dwarf_get_units(lines->dwarf, cu, &cu, NULL, &type, &die, NULL))) {
		any = true;
		done = look_at_unit(&b, type, &die);
	}
	if (ret > 0 && done)
		done = name_scopes(lines, prof->code) && add_thunks(&b) && make_spans(&b);
	if (done)
		line_scopes(&b);
	if (lines->nr_assembly)
		qsort(lines->assembly, lines->nr_assembly, sizeof(*lines->assembly), by_address);
	if (lines->nr_nops)
		qsort(lines->nops, lines->nr_nops, sizeof(*lines->nops), by_address);
	free(b.v);
	free(b.unlined);
	hash_free(&b.functions);
	return !done			   ? PROF_LINES_NO_MEMORY :
	       ret < 0 || has_too_many(&b) ? PROF_LINES_DAMAGED :
	       any			   ? PROF_LINES_OK :
					     PROF_LINES_NONE;
}

void prof_lines_close(struct prof_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->nr_units; i++)
		free(lines->units[i].wide.v);
	free(lines->scopes);
	free(lines->spans);
	free(lines->assembly);
	free(lines->nops);
	free(lines->units);
	img_split_free(&lines->split);
	*lines = (struct prof_lines){ 0 };
}

static const struct prof_span *find_span(const struct prof_span *spans, size_t nr, uint64_t addr)
{
	size_t n = array_upto(spans, nr, sizeof(*spans), addr);

	return n && addr < spans[n - 1].end ? &spans[n - 1] : NULL;
}

const struct prof_span *prof_lines_span(const struct prof_lines *lines,
					uint64_t addr)
{
	return find_span(lines->spans, lines->nr_spans, addr);
}

uint32_t prof_lines_function(const struct prof_lines *lines, uint64_t addr)
{
	const struct prof_span *span = prof_lines_span(lines, addr);

	if (!span)
		span = find_span(lines->nops, lines->nr_nops, addr);
	return span ? prof_lines_outermost(lines, span->scope) : PROF_NO_SCOPE;
}

static enum prof_known known_of(const struct prof_lines *lines, uint64_t addr)
{
	const uint32_t function = prof_lines_function(lines, addr);

	if (find_span(lines->assembly, lines->nr_assembly, addr))
		return PROF_ASSEMBLY;
	if (function == PROF_NO_SCOPE)
		return PROF_NOTHING;
	return lines->scopes[function].line ? PROF_FIRST_LINE : PROF_FUNCTION;
}

void prof_lines_sum(const struct prof_lines *lines, const struct prof *prof,
		    uint64_t counts[PROF_NR_KNOWN])
{
	size_t i;

	memset(counts, 0, PROF_NR_KNOWN * sizeof(*counts));
	for (i = 0; i < prof->nr_ranges; i++)
		if (!prof_code_in_plt(prof->code, prof->ranges[i].start))
			counts[known_of(lines, prof->ranges[i].start)] += prof->ranges[i].count;
}

uint32_t prof_lines_outermost(const struct prof_lines *lines, uint32_t scope)
{
	while (lines->scopes[scope].parent != PROF_NO_SCOPE)
		scope = lines->scopes[scope].parent;
	return scope;
}

uint32_t prof_lines_entered(const struct prof_lines *lines, const struct prof_code *code,
			    uint64_t addr, bool behind_nops)
{
	const uint32_t scope = prof_lines_function(lines, addr);
	const struct img_symbol *symbol;

	if (scope == PROF_NO_SCOPE)
		return PROF_NO_SCOPE;
	if ((behind_nops ? lines->scopes[scope].start : lines->scopes[scope].entry) != addr)
		return PROF_NO_SCOPE;
	symbol = prof_code_symbol(code, addr);
	return symbol && prof_name_is_part(symbol->name) ? PROF_NO_SCOPE : scope;
}

bool prof_lines_line(struct prof_lines *lines, uint32_t scope, uint64_t addr,
		     uint32_t *line, uint32_t *discriminator)
{
	struct prof_unit *unit = &lines->units[lines->scopes[scope].unit];
	size_t low = 0, high = unit->nr_lines;
	unsigned int disc;
	Dwarf_Line *row;
	bool end;
	int n;

	if (lines->scopes[scope].lineless)
		return false;
	addr -= lines->moved;
	/* Mostly it is the row of the instruction before, or the next. */
	if (unit->hit < unit->nr_lines && row_addr(unit, unit->hit) <= addr) {
		low = unit->hit;
		if (low + 2 < unit->nr_lines && row_addr(unit, low + 2) > addr)
			high = low + 2;
	}
	/* The last row that is not behind it: it is the one of its address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (row_addr(unit, middle) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	unit->hit = low - 1;
	row = dwarf_onesrcline(unit->lines, low - 1);
	if (!row || dwarf_lineendsequence(row, &end) || end ||
	    dwarf_lineno(row, &n) || n <= 0)
		return false;
	*line = n;
	*discriminator = dwarf_linediscriminator(row, &disc) ? 0 : disc;
	if (unit->wide.nr)
		*discriminator = prof_wide_find(&unit->wide,
						row_addr(unit, low - 1),
						*discriminator);
	return true;
}
