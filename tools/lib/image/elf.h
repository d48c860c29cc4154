/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The content of an ELF file. Only this room reads the headers, notes and symbol tables,
 * with libelf. It skips damaged parts.
 */
#ifndef IMAGE_ELF_H
#define IMAGE_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Open a file of size bytes in memory, which must exist as long as the object. Returns NULL if
 * it is no ELF file, or has more headers than any program needs. *why then says so.
 */
Elf *img_open_elf(const uint8_t *file, size_t size, const char **why);

/*
 * Store the next program header of a type in *ph. *at is 0 for the first call. Returns
 * false if there are no more.
 */
bool img_next_header(Elf *elf, size_t *at, uint32_t type, GElf_Phdr *ph);

/* A range of bytes in a file that has addresses. */
struct img_segment {
	uint64_t addr; /* the address, as linked */
	uint64_t offset; /* the offset in the file */
	/* bytes; what lies beyond the end of the file is left out */
	uint64_t size;
	/* the name of the section that has the bytes; NULL: not known */
	const char *section;
};

/* The segments of a file. Set all members to 0 first. The caller frees v. */
struct img_segments {
	struct img_segment *v; /* ordered by address */
	size_t nr, cap;
};

/*
 * Returns how many bytes lack at the end of a file that is shorter than its headers say, or 0.
 * That is how a copy ends that was interrupted.
 */
uint64_t img_missing_bytes(Elf *elf);

/*
 * Read the segments that are loaded with all of these flags: PF_X for code, 0 for all
 * segments. Returns false if the file is damaged or if out of memory.
 */
bool img_read_segments(struct img_segments *segments, Elf *elf, uint32_t flags);

/*
 * Add a segment. Its address must be higher than all others. Returns false if out of
 * memory.
 */
bool img_add_segment(struct img_segments *segments, uint64_t addr,
		     uint64_t offset, uint64_t size, const char *section);

/* Returns the segment of an address, or NULL. A file has few segments. */
static inline const struct img_segment *
img_segment_at(const struct img_segments *segments, uint64_t addr)
{
	size_t i;

	for (i = 0; i < segments->nr; i++)
		if (addr - segments->v[i].addr < segments->v[i].size)
			return &segments->v[i];
	return NULL;
}

/*
 * Returns the section after scn and stores its header in *sh. scn is NULL for the first
 * section. Returns NULL if there are no more.
 */
Elf_Scn *img_next_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh);

/* Returns the name of the section, or "" if it has none. */
const char *img_section_name(Elf *elf, const GElf_Shdr *sh);

/*
 * Returns the first section with this type and name. SHT_NULL and NULL mean any. Returns
 * NULL if there is none.
 */
Elf_Scn *img_find_section(Elf *elf, uint32_t type, const char *name,
			  GElf_Shdr *sh);

/* The state of a walk through a symbol table. */
struct img_symbols {
	Elf *elf; /* the file that has the table */
	Elf_Data *data;
	size_t strings; /* the section that has the names */
	size_t next, nr;
	uint64_t moved; /* to add to addresses; 0 until the caller sets it */
};

/*
 * Open the symbol table of a type, SHT_SYMTAB or SHT_DYNSYM. Returns false if the file
 * has none.
 */
bool img_open_symbols(struct img_symbols *symbols, Elf *elf, uint32_t type);

/*
 * Store the symbol with this number in *sym and return its name. Returns NULL if there is
 * no such symbol or if it has no name.
 */
const char *img_symbol_number(const struct img_symbols *symbols, int number,
			      GElf_Sym *sym);

/*
 * Store the next symbol that is defined and has a name in *sym, and return its name. The
 * name is valid as long as the file is open. Returns NULL if there are no more.
 */
const char *img_next_symbol(struct img_symbols *symbols, GElf_Sym *sym);

/*
 * Returns whether the file has code. A file with debug information only has sections for
 * code, but not their bytes.
 */
bool img_has_code(Elf *elf);

/* Returns whether the file is not linked, as modules of the kernel are not. */
bool img_is_unlinked(Elf *elf);

/*
 * Returns the build id in the file's notes, which has *size bytes, or NULL if there is
 * none. What program headers do not have is looked for in sections. No more than the first MB
 * of notes is searched.
 */
const uint8_t *img_find_build_id(Elf *elf, unsigned int *size);

/*
 * Returns whether two build ids are equal. A recording may fill up a short build id with
 * zeroes.
 */
bool img_same_build_id(const uint8_t *a, unsigned int a_size, const uint8_t *b,
		       unsigned int b_size);

/* Write a build id as hexadecimal digits and a NUL. text must have 2 * size + 1 bytes. */
void img_print_build_id(char *text, const uint8_t *id, unsigned int size);

#endif
