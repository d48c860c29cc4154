/* SPDX-License-Identifier: GPL-2.0-only */
/* Walking through a symbol table of an ELF file. */
#ifndef IMAGE_SYMTAB_H
#define IMAGE_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>

struct img_symtab {
	Elf *elf; /* the caller's */
	Elf_Data *data;
	size_t strings; /* the section of its names */
	int next;
};

/* The table of a type, SHT_SYMTAB or SHT_DYNSYM. False: the file has none. */
bool img_symtab_open(struct img_symtab *table, Elf *elf, unsigned int type);

/*
 * The next symbol that is defined and has a name, which is returned, valid as long
 * as the file is open. NULL: there is no more.
 */
const char *img_symtab_next(struct img_symtab *table, GElf_Sym *sym);

#endif
