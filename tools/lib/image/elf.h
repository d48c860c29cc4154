/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What stands in an ELF file: the one place where its headers, notes and symbol
 * tables are gone through, by libelf. What is damaged is passed by.
 */
#ifndef IMAGE_ELF_H
#define IMAGE_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next program header of a type; *at is 0 for the first. False: there is none. */
bool img_next_header(Elf *elf, size_t *at, uint32_t type, GElf_Phdr *ph);

/* Bytes of a file that have addresses. */
struct img_segment {
	uint64_t addr; /* as linked */
	uint64_t offset; /* in the file */
	uint64_t size; /* of both: what is beyond the file's end is left out */
	const char *section; /* whose bytes they are; NULL: not known */
};

/* All 0 before the first; the caller frees v. */
struct img_segments {
	struct img_segment *v; /* by address */
	size_t nr, cap;
};

/*
 * What is loaded with all of these flags: PF_X for code, 0 for all. False: a
 * damaged file, or out of memory.
 */
bool img_read_segments(struct img_segments *segments, Elf *elf, uint32_t flags);

/* One more, at a higher address. False: out of memory. */
bool img_add_segment(struct img_segments *segments, uint64_t addr,
		     uint64_t offset, uint64_t size, const char *section);

/* The segment of an address; NULL: none. There are few of them. */
static inline const struct img_segment *
img_segment_at(const struct img_segments *segments, uint64_t addr)
{
	size_t i;

	for (i = 0; i < segments->nr; i++)
		if (addr - segments->v[i].addr < segments->v[i].size)
			return &segments->v[i];
	return NULL;
}

/* The section behind scn, which is NULL for the first. NULL: there is none. */
Elf_Scn *img_next_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh);

/* Its name; "" if it has none. */
const char *img_section_name(Elf *elf, const GElf_Shdr *sh);

/* The first section of that type and name, SHT_NULL and NULL for any. */
Elf_Scn *img_find_section(Elf *elf, uint32_t type, const char *name,
			  GElf_Shdr *sh);

/* A walk through a table of symbols. */
struct img_symbols {
	Elf *elf; /* that has it */
	Elf_Data *data;
	size_t strings; /* the section of its names */
	size_t next, nr;
	uint64_t moved; /* added to addresses; 0, or for the caller to set */
};

/* The table of a type, SHT_SYMTAB or SHT_DYNSYM. False: the file has none. */
bool img_open_symbols(struct img_symbols *symbols, Elf *elf, uint32_t type);

/* Any symbol, by its number, and its name. NULL: there is none, or it has no name. */
const char *img_symbol_number(const struct img_symbols *symbols, int number,
			      GElf_Sym *sym);

/*
 * The next symbol that is defined and has a name, which is returned, valid as long
 * as the file is open. NULL: there is no more.
 */
const char *img_next_symbol(struct img_symbols *symbols, GElf_Sym *sym);

/* Files of debug information alone have sections for code, without bytes. */
bool img_has_code(Elf *elf);

/* The build id in the file's notes, *size bytes; NULL: none. */
const uint8_t *img_find_build_id(Elf *elf, unsigned int *size);

/* Recordings may fill a short one up with zeroes. */
bool img_same_build_id(const uint8_t *a, unsigned int a_size, const uint8_t *b,
		       unsigned int b_size);

/* Hexadecimal digits and a NUL: text has room for 2 * size + 1 bytes. */
void img_print_build_id(char *text, const uint8_t *id, unsigned int size);

#endif
