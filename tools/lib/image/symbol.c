// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions by file offset, from .symtab, here or in a debug file, or else from
 * .dynsym, and the PLT's entries.
 */
#include "image/internal.h"
#include "image/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The RISC-V psABI's procedure linkage table. */
enum { PLT_HEADER = 32, PLT_ENTRY = 16 };

/* Where an address of the executable part is in the file. */
static bool to_offset(struct img_file *file, uint64_t addr, uint64_t *offset,
		      uint64_t *left)
{
	size_t i, nr;

	if (elf_getphdrnum(file->elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(file->elf, i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || addr < ph.p_vaddr ||
		    addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = addr - ph.p_vaddr + ph.p_offset;
		*left = ph.p_filesz - (addr - ph.p_vaddr);
		return true;
	}
	return false;
}

static void add(struct img_file *file, uint64_t addr, uint64_t size,
		const char *name, unsigned int rank)
{
	struct img_symbol *symbols;
	uint64_t offset, left;
	size_t cap;

	if (!to_offset(file, addr, &offset, &left))
		return;
	if (file->nr_symbols == file->cap_symbols) {
		cap = file->cap_symbols ? 2 * file->cap_symbols : 256;
		symbols = realloc(file->symbols, cap * sizeof(*symbols));
		if (!symbols)
			return;
		file->symbols = symbols;
		file->cap_symbols = cap;
	}
	/* A size of 0, as of a label, is settled when all are known. */
	file->symbols[file->nr_symbols++] = (struct img_symbol){
		offset, offset + (size < left ? size : left), name, rank
	};
}

enum { RANK_LABEL = 4 };

/* Functions before labels, then global before weak before local. */
static unsigned int rank_of(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	unsigned int bind = GELF_ST_BIND(sym->st_info);

	return (type == STT_NOTYPE ? RANK_LABEL : 0) +
	       (bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2);
}

/*
 * Is a label on code? Linkers' own, such as __rela_iplt_end and etext, are where
 * code begins all the same; but they belong to no section, to one without code, or
 * are at its end.
 */
static bool labels_code(Elf *elf, const GElf_Sym *sym)
{
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ?
			       elf_getscn(elf, sym->st_shndx) :
			       NULL;
	GElf_Shdr sh;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR &&
	       sym->st_value - sh.sh_addr < sh.sh_size;
}

static bool names_code(Elf *elf, const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	/* Neither the assembler's own labels nor its mapping symbols. */
	return type == STT_NOTYPE && name[0] != '$' &&
	       strncmp(name, ".L", 2) != 0 && labels_code(elf, sym);
}

static Elf_Scn *find_section(Elf *elf, unsigned int type, const char *name,
			     GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *its;

		if (!gelf_getshdr(scn, sh) || sh->sh_type != type)
			continue;
		its = elf_strptr(elf, strings, sh->sh_name);
		if (!name || (its && !strcmp(its, name)))
			return scn;
	}
	return NULL;
}

/* The table of that type in elf, whose addresses are `moved` off the file's. */
static bool read_table(struct img_file *file, Elf *elf, unsigned int type,
		       uint64_t moved)
{
	struct img_symtab table;
	const char *name;
	GElf_Sym sym;

	if (!img_symtab_open(&table, elf, type))
		return false;
	while ((name = img_symtab_next(&table, &sym)))
		if (names_code(elf, &sym, name))
			add(file, sym.st_value + moved, sym.st_size, name,
			    rank_of(&sym));
	return true;
}

static void read_plt(struct img_file *file)
{
	GElf_Shdr plt, rela, dynsym;
	Elf_Data *relocs, *syms;
	size_t size = 0, room;
	Elf_Scn *scn;
	GElf_Rela rel;
	GElf_Sym sym;
	char *out;
	int i;

	if (!find_section(file->elf, SHT_PROGBITS, ".plt", &plt))
		return;
	/* What is not an entry with a name: its header; in static programs, all. */
	add(file, plt.sh_addr, plt.sh_size, ".plt", 0);
	scn = find_section(file->elf, SHT_RELA, ".rela.plt", &rela);
	relocs = scn ? elf_getdata(scn, NULL) : NULL;
	scn = find_section(file->elf, SHT_DYNSYM, NULL, &dynsym);
	syms = scn ? elf_getdata(scn, NULL) : NULL;
	if (!relocs || !syms)
		return;
	for (i = 0; gelf_getrela(relocs, i, &rel); i++) {
		const char *name = NULL;

		if (gelf_getsym(syms, GELF_R_SYM(rel.r_info), &sym))
			name = elf_strptr(file->elf, dynsym.sh_link,
					  sym.st_name);
		size += name ? strlen(name) + sizeof("@plt") : 0;
	}
	/* A damaged table could make every entry's name as long as the file. */
	if (size > file->size)
		return;
	out = file->plt_names = malloc(size + 1);
	if (!out)
		return;
	room = size + 1;
	for (i = 0; gelf_getrela(relocs, i, &rel); i++) {
		const char *name = NULL;
		int n;

		if (gelf_getsym(syms, GELF_R_SYM(rel.r_info), &sym))
			name = elf_strptr(file->elf, dynsym.sh_link,
					  sym.st_name);
		if (!name || !name[0])
			continue;
		n = snprintf(out, room, "%s@plt", name);
		add(file, plt.sh_addr + PLT_HEADER + (uint64_t)i * PLT_ENTRY,
		    PLT_ENTRY, out, 0);
		out += n + 1;
		room -= n + 1;
	}
}

static int by_place(const void *va, const void *vb)
{
	const struct img_symbol *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* One symbol for each place: the best of those that start there. */
static void settle(struct img_file *file)
{
	struct img_symbol *v = file->symbols;
	size_t i, nr = 0;
	uint64_t covered = 0;

	if (!file->nr_symbols)
		return;
	qsort(v, file->nr_symbols, sizeof(*v), by_place);
	for (i = 0; i < file->nr_symbols; i++) {
		if (nr && v[nr - 1].start == v[i].start)
			continue;
		/* A label inside a function is not worth more than its name. */
		if ((v[i].end == v[i].start || v[i].rank >= RANK_LABEL) &&
		    v[i].start < covered)
			continue;
		if (v[i].end > covered)
			covered = v[i].end;
		v[nr++] = v[i];
	}
	file->nr_symbols = nr;
	for (i = 0; i < nr; i++) {
		uint64_t next = i + 1 < nr ? v[i + 1].start : file->size;

		if (v[i].end == v[i].start || v[i].end > next)
			v[i].end = next;
	}
}

void img_read_symbols(struct img_file *file)
{
	uint64_t moved = 0;
	Elf *debug;

	file->has_symbols = true;
	if (file->jit) {
		img_read_jit_symbols(file);
		return;
	}
	if (!read_table(file, file->elf, SHT_SYMTAB, 0)) {
		debug = img_debug_elf(file, &moved);
		if (!debug || !read_table(file, debug, SHT_SYMTAB, moved))
			read_table(file, file->elf, SHT_DYNSYM, 0);
	}
	read_plt(file);
	settle(file);
}
