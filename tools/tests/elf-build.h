/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A minimal ELF file made by hand: one segment with code, and on wish a build
 * id, symbols and a procedure linkage table.
 *
 *	offset 0	file header, program headers, build id note
 *	ELFB_CODE	code, at address ELFB_ADDR + ELFB_CODE
 *	after it	sections: symbols, strings, ...
 */
#ifndef TESTS_ELF_BUILD_H
#define TESTS_ELF_BUILD_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

enum {
	ELFB_CODE = 0x1000,
	ELFB_ADDR = 0x400000,
	ELFB_MAX = 16,
	ELFB_NOTE = 0x200,
	ELFB_SIZE_MAX = 0x4000,
	/* ELFCOMPRESS_ZSTD, which older headers lack. */
	ELFB_ZSTD = 2,
	/* Numbers of sections. */
	ELFB_TEXT = 1,
	ELFB_SYMBOLS = 2,
};

struct elfb_symbol {
	const char *name;
	uint64_t value;		/* address */
	uint64_t size;
	unsigned char info;	/* ELF64_ST_INFO(bind, type) */
};

struct elfb_bytes {
	const void *p;
	size_t n;
};

struct elfb {
	const void *code;
	size_t code_size;
	unsigned int build_id_size;	/* 0: none */
	const uint8_t *build_id;
	bool empty_build_id;	/* a note of it that has no bytes */
	bool section_build_id;	/* .text is its note, and no program header has it */
	bool debug_file;	/* .text has no bytes: what objcopy --only-keep-debug leaves */
	struct elfb_symbol symbols[ELFB_MAX];
	uint16_t sections[ELFB_MAX];	/* of symbols; 0: ELFB_TEXT */
	unsigned int nr_symbols;
	bool dynamic;		/* symbols in .dynsym, not in .symtab */
	const char *plt[ELFB_MAX];	/* functions with PLT entries */
	unsigned int nr_plt;
	uint64_t plt_addr;
	bool chosen;		/* there is no header: it is of a static program */
	uint64_t chosen_at[ELFB_MAX];	/* what chooses these functions */
	unsigned int machine;	/* 0: EM_RISCV */
	bool is32;		/* ELF32; without a procedure linkage table */
	uint64_t moved;		/* its addresses are ELFB_ADDR and this */
	uint32_t flags;		/* of the segment; 0: PF_R | PF_X */
	const char *debuglink;	/* a file's name; NULL: none */
	uint32_t debuglink_crc;
	struct elfb_bytes altlink;	/* .gnu_debugaltlink: a name, NUL and a build id */
	/* .debug_abbrev, .debug_info, .debug_line, .debug_ranges; see dwarf-build.h. */
	struct elfb_bytes debug[4];
	bool dwo;		/* the first two are .dwo sections */
	unsigned int form;	/* they are SHF_COMPRESSED, with this ch_type; 0: they are not */
	struct elfb_bytes cu_index;	/* .debug_cu_index, of a .dwp file */
	struct elfb_bytes probes[2];	/* see probe-build.h */
	const char *extra;	/* one more section's name; NULL: none */
	uint64_t extra_addr, extra_size;
	uint8_t file[ELFB_SIZE_MAX];
	size_t size;
};

static inline size_t elfb_put(struct elfb *b, const void *p, size_t n)
{
	size_t at = b->size;

	if (at + n + 8 > sizeof(b->file))
		abort();
	memcpy(b->file + at, p, n);
	b->size = (at + n + 7) & ~(size_t)7;
	return at;
}

/* In the form of zlib (RFC 1950), of one block that is stored as it is (RFC 1951). */
static inline size_t elfb_zlib(uint8_t *v, const struct elfb_bytes *bytes)
{
	const uint8_t *p = bytes->p;
	const uint16_t size = bytes->n;
	uint32_t low = 1, high = 0;
	size_t i;

	memcpy(v, (uint8_t[]){ 0x78, 1, 1, size, size >> 8, ~size, ~size >> 8 }, 7);
	memcpy(v + 7, p, size);
	for (i = 0; i < size; i++) {
		low = (low + p[i]) % 65521;
		high = (high + low) % 65521;
	}
	memcpy(v + 7 + size, (uint8_t[]){ high >> 8, high, low >> 8, low }, 4);
	return 7 + size + 4;
}

/* A compressed section. Of a form that is not known here, its bytes stay as they are. */
static inline size_t elfb_pack(uint8_t v[ELFB_SIZE_MAX], Elf64_Shdr *sh, unsigned int form,
			       const struct elfb_bytes *bytes)
{
	const Elf64_Chdr header = { .ch_type = form, .ch_size = bytes->n, .ch_addralign = 1 };
	size_t size = sizeof(header);

	memcpy(v, &header, size);
	if (form == ELFCOMPRESS_ZLIB) {
		size += elfb_zlib(v + size, bytes);
	} else if (form == ELFB_ZSTD) {
		size += ZSTD_compress(v + size, ELFB_SIZE_MAX - size, bytes->p, bytes->n, 1);
	} else {
		memcpy(v + size, bytes->p, bytes->n);
		size += bytes->n;
	}
	sh->sh_flags = SHF_COMPRESSED;
	sh->sh_addralign = 8;
	return size;
}

static inline uint32_t elfb_string(char *strings, size_t *n, const char *s)
{
	uint32_t at = *n;

	memcpy(strings + at, s, strlen(s) + 1);
	*n += strlen(s) + 1;
	return at;
}

/* The same headers and symbols in their form of 32 bits. */
static inline Elf32_Ehdr elfb_header32(const Elf64_Ehdr *eh)
{
	Elf32_Ehdr to = { .e_type = eh->e_type, .e_machine = eh->e_machine,
			  .e_version = eh->e_version, .e_phoff = sizeof(to),
			  .e_shoff = (uint32_t)eh->e_shoff, .e_flags = eh->e_flags,
			  .e_ehsize = sizeof(to), .e_phentsize = sizeof(Elf32_Phdr),
			  .e_phnum = eh->e_phnum, .e_shentsize = sizeof(Elf32_Shdr),
			  .e_shnum = eh->e_shnum, .e_shstrndx = eh->e_shstrndx };

	memcpy(to.e_ident, eh->e_ident, EI_NIDENT);
	to.e_ident[EI_CLASS] = ELFCLASS32;
	return to;
}

static inline Elf32_Phdr elfb_segment32(const Elf64_Phdr *ph)
{
	return (Elf32_Phdr){ ph->p_type, (uint32_t)ph->p_offset, (uint32_t)ph->p_vaddr,
			     (uint32_t)ph->p_paddr, (uint32_t)ph->p_filesz,
			     (uint32_t)ph->p_memsz, ph->p_flags, (uint32_t)ph->p_align };
}

static inline Elf32_Shdr elfb_section32(const Elf64_Shdr *sh)
{
	const bool symbols = sh->sh_type == SHT_SYMTAB || sh->sh_type == SHT_DYNSYM;

	return (Elf32_Shdr){ sh->sh_name, sh->sh_type, (uint32_t)sh->sh_flags,
			     (uint32_t)sh->sh_addr, (uint32_t)sh->sh_offset,
			     (uint32_t)sh->sh_size, sh->sh_link, sh->sh_info,
			     (uint32_t)sh->sh_addralign,
			     symbols ? sizeof(Elf32_Sym) : (uint32_t)sh->sh_entsize };
}

static inline Elf32_Sym elfb_symbol32(const Elf64_Sym *sym)
{
	return (Elf32_Sym){ sym->st_name, (uint32_t)sym->st_value, (uint32_t)sym->st_size,
			    sym->st_info, sym->st_other, sym->st_shndx };
}

static inline void elfb_finish(struct elfb *b)
{
	static const char names[] =
		"\0.symtab\0.strtab\0.shstrtab\0.dynsym\0.dynstr\0.plt\0.rela.plt\0.gnu_debuglink\0"
		".debug_abbrev\0.debug_info\0.debug_line\0"
		".debug_abbrev.dwo\0.debug_info.dwo\0.text\0.debug_cu_index\0"
		".pseudo_probe_desc\0.pseudo_probe\0.debug_ranges\0.gnu_debugaltlink";
	static const uint32_t debug_names[2][4] = { { 73, 87, 99, 200 },
						    { 111, 129, 99, 200 } };
	enum { SYMTAB = 1, STRTAB = 9, SHSTRTAB = 17, DYNSYM = 27, DYNSTR = 35,
	       PLT = 43, RELA_PLT = 48, DEBUGLINK = 58, TEXT = 145,
	       CU_INDEX = 151, ALTLINK = 214 };
	static const uint32_t probe_names[2] = { 167, 186 };
	Elf64_Ehdr eh = { .e_type = ET_DYN, .e_version = 1, .e_phnum = 2,
			  .e_ehsize = sizeof(eh), .e_phoff = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr ph[2] = { { .p_type = PT_LOAD,
			       .p_flags = b->flags ? b->flags : PF_R | PF_X,
			       .p_vaddr = ELFB_ADDR + b->moved, .p_align = 0x1000 },
			     { .p_type = PT_NULL, .p_offset = ELFB_NOTE,
			       .p_align = 4 } };
	Elf64_Shdr sh[17] = { { 0 } };
	Elf64_Sym syms[2 * ELFB_MAX + 1] = { { 0 } };
	char strings[1024] = "", all_names[sizeof(names) + 64] = "";
	size_t nr_sh = 2, nr = 1, n = 1;
	unsigned int i;

	memset(b->file, 0, sizeof(b->file));
	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = 1;
	eh.e_machine = b->machine ? b->machine : EM_RISCV;
	eh.e_flags = EF_RISCV_RVC;
	if (b->build_id_size || b->empty_build_id) {
		const Elf64_Nhdr nh = { 4, b->build_id_size, NT_GNU_BUILD_ID };

		memcpy(b->file + ELFB_NOTE, &nh, sizeof(nh));
		memcpy(b->file + ELFB_NOTE + 12, "GNU", 4);
		memcpy(b->file + ELFB_NOTE + 16, b->build_id, b->build_id_size);
		ph[1].p_type = b->section_build_id ? PT_NULL : PT_NOTE;
		ph[1].p_filesz = 16 + b->build_id_size;
	}
	b->size = ELFB_CODE;
	elfb_put(b, b->code, b->code_size);
	ph[0].p_filesz = ph[0].p_memsz = b->size;
	memcpy(b->file + sizeof(eh), ph, sizeof(ph));
	for (i = 0; i < 2 && b->is32; i++) {
		const Elf32_Phdr to = elfb_segment32(&ph[i]);

		memcpy(b->file + sizeof(Elf32_Ehdr) + i * sizeof(to), &to, sizeof(to));
	}
	sh[1] = (Elf64_Shdr){ .sh_name = TEXT,
			      .sh_type = b->debug_file ? SHT_NOBITS : SHT_PROGBITS,
			      .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			      .sh_addr = ELFB_ADDR + ELFB_CODE + b->moved,
			      .sh_offset = ELFB_CODE,
			      .sh_size = b->code_size, .sh_addralign = 2 };
	if (b->section_build_id)
		sh[1] = (Elf64_Shdr){ .sh_name = TEXT, .sh_type = SHT_NOTE,
				      .sh_offset = ELFB_NOTE, .sh_addralign = 4,
				      .sh_size = 16 + b->build_id_size };
	for (i = 0; i < b->nr_symbols; i++)
		syms[nr++] = (Elf64_Sym){
			elfb_string(strings, &n, b->symbols[i].name),
			b->symbols[i].info, 0,
			b->sections[i] ? b->sections[i] : ELFB_TEXT,
			b->symbols[i].value, b->symbols[i].size
		};
	for (i = 0; i < b->nr_plt && !b->chosen; i++)
		syms[nr++] = (Elf64_Sym){
			elfb_string(strings, &n, b->plt[i]),
			ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0
		};
	if (nr > 1) {
		bool dynamic = b->dynamic || (b->nr_plt && !b->chosen);

		sh[2] = (Elf64_Shdr){ .sh_name = dynamic ? DYNSYM : SYMTAB,
				      .sh_type = dynamic ? SHT_DYNSYM :
							   SHT_SYMTAB,
				      .sh_size = nr * sizeof(*syms),
				      .sh_link = 3, .sh_info = 1,
				      .sh_addralign = 8,
				      .sh_entsize = sizeof(*syms) };
		if (b->is32) {
			Elf32_Sym v[2 * ELFB_MAX + 1];

			for (i = 0; i < nr; i++)
				v[i] = elfb_symbol32(&syms[i]);
			sh[2].sh_size = nr * sizeof(*v);
			sh[2].sh_offset = elfb_put(b, v, sh[2].sh_size);
		} else {
			sh[2].sh_offset = elfb_put(b, syms, sh[2].sh_size);
		}
		sh[3] = (Elf64_Shdr){ .sh_name = dynamic ? DYNSTR : STRTAB,
				      .sh_type = SHT_STRTAB, .sh_size = n,
				      .sh_addralign = 1 };
		sh[3].sh_offset = elfb_put(b, strings, n);
		nr_sh = 4;
	}
	if (b->nr_plt) {
		Elf64_Rela rela[ELFB_MAX];

		for (i = 0; i < b->nr_plt; i++)
			rela[i] = (Elf64_Rela){
				ELFB_ADDR, ELF64_R_INFO(1 + b->nr_symbols + i, 5),
				0
			};
		for (i = 0; i < b->nr_plt && b->chosen; i++)
			rela[i] = (Elf64_Rela){ ELFB_ADDR, R_RISCV_IRELATIVE,
						(int64_t)b->chosen_at[i] };
		sh[4] = (Elf64_Shdr){ .sh_name = PLT, .sh_type = SHT_PROGBITS,
				      .sh_addr = b->plt_addr,
				      .sh_offset = b->plt_addr - ELFB_ADDR,
				      .sh_size = (b->chosen ? 0 : 32) + 16 * b->nr_plt,
				      .sh_addralign = 16 };
		sh[5] = (Elf64_Shdr){ .sh_name = RELA_PLT, .sh_type = SHT_RELA,
				      .sh_size = b->nr_plt * sizeof(*rela),
				      .sh_link = 2, .sh_info = 4,
				      .sh_addralign = 8,
				      .sh_entsize = sizeof(*rela) };
		sh[5].sh_offset = elfb_put(b, rela, sh[5].sh_size);
		nr_sh = 6;
	}
	if (b->debuglink) {
		uint8_t link[64] = { 0 };
		size_t at = strlen(b->debuglink) / 4 * 4 + 4;

		memcpy(link, b->debuglink, strlen(b->debuglink));
		memcpy(link + at, &b->debuglink_crc, 4);
		sh[nr_sh] = (Elf64_Shdr){ .sh_name = DEBUGLINK,
					  .sh_type = SHT_PROGBITS,
					  .sh_size = at + 4,
					  .sh_addralign = 4 };
		sh[nr_sh++].sh_offset = elfb_put(b, link, at + 4);
	}
	for (i = 0; i < 4 && b->debug[i].n; i++) {
		sh[nr_sh] = (Elf64_Shdr){ .sh_name = debug_names[b->dwo][i],
					  .sh_type = SHT_PROGBITS,
					  .sh_size = b->debug[i].n,
					  .sh_addralign = 1 };
		if (b->form) {
			uint8_t v[ELFB_SIZE_MAX];

			sh[nr_sh].sh_size = elfb_pack(v, &sh[nr_sh], b->form, &b->debug[i]);
			sh[nr_sh].sh_offset = elfb_put(b, v, sh[nr_sh].sh_size);
			nr_sh++;
		} else {
			sh[nr_sh++].sh_offset =
				elfb_put(b, b->debug[i].p, b->debug[i].n);
		}
	}
	if (b->altlink.n) {
		sh[nr_sh] = (Elf64_Shdr){ .sh_name = ALTLINK,
					  .sh_type = SHT_PROGBITS,
					  .sh_size = b->altlink.n,
					  .sh_addralign = 1 };
		sh[nr_sh++].sh_offset =
			elfb_put(b, b->altlink.p, b->altlink.n);
	}
	if (b->cu_index.n) {
		sh[nr_sh] = (Elf64_Shdr){ .sh_name = CU_INDEX,
					  .sh_type = SHT_PROGBITS,
					  .sh_size = b->cu_index.n,
					  .sh_addralign = 1 };
		sh[nr_sh++].sh_offset =
			elfb_put(b, b->cu_index.p, b->cu_index.n);
	}
	for (i = 0; i < 2 && b->probes[i].n; i++) {
		sh[nr_sh] = (Elf64_Shdr){ .sh_name = probe_names[i],
					  .sh_type = SHT_PROGBITS,
					  .sh_size = b->probes[i].n,
					  .sh_addralign = 1 };
		sh[nr_sh++].sh_offset =
			elfb_put(b, b->probes[i].p, b->probes[i].n);
	}
	memcpy(all_names, names, sizeof(names));
	snprintf(all_names + sizeof(names), 64, "%s", b->extra ? b->extra : "");
	if (b->extra)
		sh[nr_sh++] = (Elf64_Shdr){
			.sh_name = sizeof(names), .sh_type = SHT_PROGBITS,
			.sh_addr = b->extra_addr, .sh_size = b->extra_size,
			.sh_offset = b->extra_addr - ELFB_ADDR - b->moved,
			.sh_addralign = 4 };
	sh[nr_sh] = (Elf64_Shdr){ .sh_name = SHSTRTAB, .sh_type = SHT_STRTAB,
				  .sh_size = sizeof(all_names),
				  .sh_addralign = 1 };
	sh[nr_sh].sh_offset = elfb_put(b, all_names, sizeof(all_names));
	eh.e_shstrndx = nr_sh++;
	eh.e_shnum = nr_sh;
	if (b->is32) {
		Elf32_Shdr v[15];
		Elf32_Ehdr to;

		for (i = 0; i < nr_sh; i++)
			v[i] = elfb_section32(&sh[i]);
		eh.e_shoff = elfb_put(b, v, nr_sh * sizeof(*v));
		to = elfb_header32(&eh);
		memcpy(b->file, &to, sizeof(to));
		return;
	}
	eh.e_shoff = elfb_put(b, sh, nr_sh * sizeof(*sh));
	memcpy(b->file, &eh, sizeof(eh));
}

/* Put together and write; false if the file could not be written. */
static inline bool elfb_write(struct elfb *b, const char *path)
{
	FILE *file = fopen(path, "w");
	bool ok;

	elfb_finish(b);
	ok = file && fwrite(b->file, b->size, 1, file);
	return (!file || !fclose(file)) && ok;
}

/* A file with this build id of 20 bytes in a section, as Go's linker writes it. */
static inline bool elfb_write_section_id(const char *path, const uint8_t *id)
{
	static struct elfb b;

	b = (struct elfb){ .code = "", .build_id = id, .build_id_size = 20,
			   .section_build_id = true };
	return elfb_write(&b, path);
}

/* The checksum of .gnu_debuglink by its definition, a bit at a time. */
static inline uint32_t elfb_crc(const uint8_t *p, size_t n)
{
	uint32_t crc = 0xffffffff;
	unsigned int bit;

	while (n--)
		for (crc ^= *p++, bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	return ~crc;
}

#endif
