/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A module of the kernel made by hand: a file that is not linked, whose sections
 * are added one by one, and whose debug information is relocated.
 *
 *	struct modb b;
 *
 *	modb_begin(&b);
 *	text = modb_code(&b, ".text", 2, bytes, size);
 *	modb_symbol(&b, "main", text, 0, size);
 *	modb_debug(&b, &debug, place);
 *	modb_finish(&b);
 */
#ifndef TESTS_MODULE_BUILD_H
#define TESTS_MODULE_BUILD_H

#include "dwarf-build.h"

enum { MODB_MAX_SECTIONS = 24, MODB_MAX_SYMBOLS = 16 };

struct modb {
	struct pdb_buf file, names, strings;
	Elf64_Shdr sections[MODB_MAX_SECTIONS];
	unsigned int nr_sections;
	Elf64_Sym symbols[MODB_MAX_SYMBOLS];
	unsigned int nr_symbols;
	bool debug_file; /* code is left out, as in what strip took off */
	unsigned int form; /* debug information is SHF_COMPRESSED, with this ch_type; 0: it is not */
};

static inline unsigned int modb_section(struct modb *b, const char *name,
					Elf64_Shdr sh, const void *p, size_t n)
{
	static const uint8_t zero[64];

	if (b->nr_sections == MODB_MAX_SECTIONS)
		abort();
	pdb_put(&b->file, zero, -b->file.n & 7);
	sh.sh_name = b->names.n;
	sh.sh_offset = b->file.n;
	sh.sh_size = n;
	pdb_put(&b->names, name, strlen(name) + 1);
	if (sh.sh_type != SHT_NOBITS)
		pdb_put(&b->file, p, n);
	b->sections[b->nr_sections] = sh;
	return b->nr_sections++;
}

static inline void modb_begin(struct modb *b)
{
	static const Elf64_Ehdr none;

	*b = (struct modb){ .nr_sections = 1, .nr_symbols = 1 };
	pdb_put(&b->file, &none, sizeof(none));
	pdb_put(&b->names, "", 1);
	pdb_put(&b->strings, "", 1);
}

/* That it is a module, and not just any object file. */
static inline void modb_mark(struct modb *b)
{
	modb_section(b, ".gnu.linkonce.this_module",
		     (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC | SHF_WRITE,
				   .sh_addralign = 64 },
		     "module", 6);
}

static inline void modb_build_id(struct modb *b, const uint8_t id[20])
{
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[20];
	} note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 0 } };

	memcpy(note.id, id, 20);
	modb_section(b, ".note.gnu.build-id",
		     (Elf64_Shdr){ .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC,
				   .sh_addralign = 4 },
		     &note, sizeof(note));
}

/* A section with code; returns its index. */
static inline unsigned int modb_code(struct modb *b, const char *name,
				     unsigned int align, const void *p, size_t n)
{
	return modb_section(b, name,
			    (Elf64_Shdr){ .sh_type = b->debug_file ?
							     SHT_NOBITS :
							     SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					  .sh_addralign = align },
			    p, n);
}

/* Returns its number. A size of 0: the section itself. */
static inline unsigned int modb_symbol(struct modb *b, const char *name,
				       unsigned int section, uint64_t at,
				       uint64_t size)
{
	unsigned int type = size ? STT_FUNC : STT_SECTION;

	if (b->nr_symbols == MODB_MAX_SYMBOLS)
		abort();
	b->symbols[b->nr_symbols] = (Elf64_Sym){
		b->strings.n, ELF64_ST_INFO(STB_LOCAL, type), 0, section, at,
		size
	};
	pdb_put(&b->strings, name, strlen(name) + 1);
	return b->nr_symbols++;
}

/* Where an address of the debug information is: a symbol, and bytes behind it. */
typedef unsigned int modb_place(uint64_t addr, uint64_t *behind);

/*
 * The debug information, with relocations in place of its addresses. Only
 * modb_finish() comes after it.
 */
static inline void modb_debug(struct modb *b, struct dwb *debug,
			      modb_place *place)
{
	static const char *const names[3] = { ".debug_abbrev", ".debug_info",
					      ".debug_line" };
	struct pdb_buf relocs[2] = { { 0 } };
	struct elfb elf = { 0 };
	unsigned int i, index[3];

	for (i = 0; i < debug->nr_addrs; i++) {
		struct pdb_buf *buf = debug->addrs[i].line ? &debug->line :
							     &debug->info;
		Elf64_Rela rela = { .r_offset = debug->addrs[i].at };
		uint64_t addr, behind = 0;

		memcpy(&addr, buf->p + rela.r_offset, sizeof(addr));
		memset(buf->p + rela.r_offset, 0, sizeof(addr));
		rela.r_info = ELF64_R_INFO((uint64_t)place(addr, &behind),
					   R_RISCV_64);
		rela.r_addend = behind;
		pdb_put(&relocs[debug->addrs[i].line], &rela, sizeof(rela));
	}
	dwb_sections(debug, &elf);
	for (i = 0; i < 3; i++) {
		Elf64_Shdr sh = { .sh_type = SHT_PROGBITS, .sh_addralign = 1 };
		struct elfb_bytes bytes = elf.debug[i];
		uint8_t v[ELFB_SIZE_MAX];

		if (b->form)
			bytes = (struct elfb_bytes){ v, elfb_pack(v, &sh, b->form, &bytes) };
		index[i] = modb_section(b, names[i], sh, bytes.p, bytes.n);
	}
	for (i = 0; i < 2; i++) {
		modb_section(b, i ? ".rela.debug_line" : ".rela.debug_info",
			     (Elf64_Shdr){ .sh_type = SHT_RELA,
					   .sh_link = b->nr_sections + 2 - i,
					   .sh_info = index[1 + i],
					   .sh_flags = SHF_INFO_LINK,
					   .sh_addralign = 8,
					   .sh_entsize = sizeof(Elf64_Rela) },
			     relocs[i].p, relocs[i].n);
		free(relocs[i].p);
	}
}

static inline void modb_finish(struct modb *b)
{
	static const uint8_t zero[8];
	Elf64_Ehdr eh = { .e_type = ET_REL, .e_machine = EM_RISCV,
			  .e_version = 1, .e_ehsize = sizeof(eh),
			  .e_shentsize = sizeof(Elf64_Shdr) };

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = 1;
	modb_section(b, ".symtab",
		     (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
				   .sh_link = b->nr_sections + 1,
				   .sh_info = b->nr_symbols,
				   .sh_addralign = 8,
				   .sh_entsize = sizeof(Elf64_Sym) },
		     b->symbols, b->nr_symbols * sizeof(*b->symbols));
	modb_section(b, ".strtab", (Elf64_Shdr){ .sh_type = SHT_STRTAB },
		     b->strings.p, b->strings.n);
	eh.e_shstrndx = modb_section(b, ".shstrtab",
				     (Elf64_Shdr){ .sh_type = SHT_STRTAB }, NULL,
				     0);
	b->sections[eh.e_shstrndx].sh_size = b->names.n;
	pdb_put(&b->file, b->names.p, b->names.n);
	pdb_put(&b->file, zero, -b->file.n & 7);
	eh.e_shoff = b->file.n;
	eh.e_shnum = b->nr_sections;
	pdb_put(&b->file, b->sections, b->nr_sections * sizeof(*b->sections));
	memcpy(b->file.p, &eh, sizeof(eh));
}

static inline bool modb_write(const struct modb *b, const char *path)
{
	FILE *file = fopen(path, "w");
	bool ok = file && fwrite(b->file.p, b->file.n, 1, file);

	return (!file || !fclose(file)) && ok;
}

static inline void modb_free(struct modb *b)
{
	free(b->file.p);
	free(b->names.p);
	free(b->strings.p);
}

#endif
