// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions by file offset, from .symtab, here or in a debug file, or else from
 * .dynsym, and the PLT's entries.
 */
#include "image/internal.h"
#include "image/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The RISC-V psABI's procedure linkage table. Static programs have none with a header. */
enum { PLT_HEADER = 32, PLT_ENTRY = 16 };

/* So many entries for functions that are chosen at start are looked up. C libraries have few. */
enum { MOST_CHOSEN = 64 };

static void add(struct img_file *file, uint64_t addr, uint64_t size,
		const char *name, int rank)
{
	const struct img_segment *code = img_segment_at(&file->segments, addr);
	uint64_t left;

	if (!code)
		return;
	left = code->size - (addr - code->addr);
	img_symtab_add(&file->symbols, addr - code->addr + code->offset,
		       size < left ? size : left, name, rank);
}

/*
 * In the debug file of a module, no section has bytes, and several may be at one offset. So
 * the code of a module goes by its addresses.
 */
static bool read_sections(struct img_file *file)
{
	size_t i;

	if (img_module_segments(file->elf, &file->segments))
		file->segments.nr = 0;
	for (i = 0; i < file->segments.nr; i++)
		file->segments.v[i].offset = file->segments.v[i].addr;
	return file->segments.nr;
}

/*
 * Is a label on code? Linkers' own, such as __rela_iplt_end and etext, are where
 * code begins all the same; but they belong to no section, to one without code, or
 * are at its end.
 */
static bool labels_code(const struct img_symbols *symbols, const GElf_Sym *sym)
{
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ?
			       elf_getscn(symbols->elf, sym->st_shndx) :
			       NULL;
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR &&
	       sym->st_value - symbols->moved - sh.sh_addr < sh.sh_size;
}

static bool names_code(const struct img_symbols *symbols, const GElf_Sym *sym,
		       const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* Neither the assembler's own labels nor its mapping symbols. */
	return type == STT_NOTYPE && name[0] != '$' &&
	       strncmp(name, ".L", 2) != 0 && labels_code(symbols, sym);
}

bool img_file_symbols(struct img_file *file, struct img_symbols *symbols)
{
	uint64_t moved = 0;
	Elf *debug;

	if (img_open_symbols(symbols, file->elf, SHT_SYMTAB))
		return true;
	debug = img_debug_elf(file, &moved);
	if (!debug || !img_open_symbols(symbols, debug, SHT_SYMTAB))
		return false;
	symbols->moved = moved;
	return true;
}

bool img_file_some_symbols(struct img_file *file, struct img_symbols *symbols)
{
	return img_file_symbols(file, symbols) ||
	       img_open_symbols(symbols, file->elf, SHT_DYNSYM);
}

bool img_file_is_stripped(struct img_file *file)
{
	struct img_symbols symbols;

	return file->state == IMG_OK && file->elf && file->name[0] != '[' &&
	       !img_file_symbols(file, &symbols);
}

bool img_has_packed_symbols(const char *path)
{
	struct img *img = img_new(NULL);
	struct img_file *file = img ? img_open(img, path) : NULL;
	GElf_Shdr sh;
	const bool has = file && file->state == IMG_OK && file->elf &&
			 img_find_section(file->elf, SHT_PROGBITS, ".gnu_debugdata", &sh);

	img_free(img);
	return has;
}

bool img_file_named(struct img_file *file, const char *name, uint64_t *addr)
{
	struct img_symbols symbols;
	const char *its;
	GElf_Sym sym;

	if (!img_file_symbols(file, &symbols))
		return false;
	while ((its = img_next_symbol(&symbols, &sym))) {
		if (strcmp(its, name))
			continue;
		*addr = sym.st_value;
		return true;
	}
	return false;
}

/* The function (STT_GNU_IFUNC) that is chosen by the code at this address, or NULL. */
static const char *chosen_name(struct img_file *file, uint64_t addr)
{
	struct img_symbols symbols;
	const char *name, *found = NULL;
	int rank, best = 0;
	GElf_Sym sym;

	if (!img_file_some_symbols(file, &symbols))
		return NULL;
	while ((name = img_next_symbol(&symbols, &sym))) {
		if (GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC || sym.st_value != addr)
			continue;
		/* As of other aliases (symtab.c), but programs call it by a name of theirs. */
		rank = img_symbol_rank(&sym) + (name[0] == '_' ? IMG_RANK_LABEL : 0);
		if (found && (rank > best || (rank == best && strcmp(name, found) > 0)))
			continue;
		found = name;
		best = rank;
	}
	return found;
}

static void read_plt(struct img_file *file)
{
	unsigned int chosen = 0;
	struct img_symbols dynamic;
	GElf_Shdr plt, sh;
	Elf_Data *relocs;
	uint64_t first;
	size_t room, n;
	Elf_Scn *scn;
	GElf_Rela rel;
	GElf_Sym sym;
	char *out;
	int i;

	if (!img_find_section(file->elf, SHT_PROGBITS, ".plt", &plt))
		return;
	/* What is not an entry with a name, as its header. */
	add(file, plt.sh_addr, plt.sh_size, ".plt", IMG_RANK_LABEL);
	scn = img_find_section(file->elf, SHT_RELA, ".rela.plt", &sh);
	relocs = scn ? elf_getdata(scn, NULL) : NULL;
	if (!relocs)
		return;
	img_open_symbols(&dynamic, file->elf, SHT_DYNSYM);
	first = plt.sh_addr;
	if (plt.sh_size >= PLT_HEADER + sh.sh_size / sizeof(Elf64_Rela) * PLT_ENTRY)
		first += PLT_HEADER;
	/* A damaged table could make every entry's name as long as the file. */
	room = file->size;
	out = file->names = malloc(room);
	for (i = 0; out && gelf_getrela(relocs, i, &rel); i++) {
		const uint64_t entry = first + (uint64_t)i * PLT_ENTRY;
		const char *name = NULL;

		if (GELF_R_TYPE(rel.r_info) != R_RISCV_IRELATIVE)
			name = img_symbol_number(&dynamic, GELF_R_SYM(rel.r_info), &sym);
		else if (chosen++ < MOST_CHOSEN)
			name = chosen_name(file, rel.r_addend);
		if (!name) {
			add(file, entry, PLT_ENTRY, ".plt", IMG_RANK_LABEL);
			continue;
		}
		n = snprintf(out, room, "%s@plt", name) + 1;
		if (n > room)
			break;
		add(file, entry, PLT_ENTRY, out, 0);
		out += n;
		room -= n;
	}
}

static void read_symbols(struct img_file *file)
{
	struct img_symbols symbols;
	const char *name;
	bool is_module;
	GElf_Sym sym;

	if (file->jit) {
		img_read_jit_symbols(file);
		return;
	}
	is_module = img_is_unlinked(file->elf);
	if (is_module ? !read_sections(file) :
			!img_read_segments(&file->segments, file->elf, PF_X))
		return;
	if (img_file_some_symbols(file, &symbols))
		while ((name = img_next_symbol(&symbols, &sym)))
			if (names_code(&symbols, &sym, name) &&
			    (!is_module || img_module_addr(&file->segments, symbols.elf,
							   sym.st_shndx, &sym.st_value)))
				add(file, sym.st_value, sym.st_size, name,
				    img_symbol_rank(&sym));
	if (!is_module)
		read_plt(file);
	img_symtab_settle(&file->symbols, is_module ? UINT64_MAX : file->size);
}

/* Reads them at the first call. False: a file that cannot be used. */
static bool has_symbols(struct img_file *file)
{
	if (file->state == IMG_OK && !file->has_symbols) {
		file->has_symbols = true;
		read_symbols(file);
	}
	return file->state == IMG_OK;
}

bool img_symbol(struct img_file *file, uint64_t offset, const char **name,
		uint64_t *from_start)
{
	const struct img_symbol *symbol = NULL;

	if (has_symbols(file))
		symbol = img_symtab_find(&file->symbols, offset);
	if (!symbol)
		symbol = img_symtab_find(&file->lent, offset);
	if (!symbol)
		return false;
	*name = symbol->name;
	*from_start = offset - symbol->start;
	return true;
}

bool img_code_addr(struct img_file *file, uint64_t offset, uint64_t *addr)
{
	size_t i;

	if (!has_symbols(file))
		return false;
	for (i = 0; i < file->segments.nr; i++) {
		const struct img_segment *s = &file->segments.v[i];

		if (offset - s->offset >= s->size)
			continue;
		*addr = s->addr + (offset - s->offset);
		return true;
	}
	return false;
}

bool img_function(struct img_file *file, uint64_t offset,
		  struct img_function *function)
{
	const struct img_symbol *symbol;

	if (!has_symbols(file))
		return false;
	symbol = img_symtab_part(&file->symbols, offset, &function->from, &function->to);
	if (!symbol)
		return false;
	function->name = symbol->name;
	function->start = symbol->start;
	return true;
}

bool img_function_at(struct img_file *file, uint64_t addr,
		     struct img_function *function)
{
	const struct img_segment *code;

	code = has_symbols(file) ? img_segment_at(&file->segments, addr) : NULL;
	if (!code || !img_function(file, addr - code->addr + code->offset, function))
		return false;
	function->start += code->addr - code->offset;
	function->from += code->addr - code->offset;
	function->to += code->addr - code->offset;
	return true;
}
