// SPDX-License-Identifier: GPL-2.0-only
#include "image/symtab.h"

#include <stddef.h>

bool img_symtab_open(struct img_symtab *table, Elf *elf, unsigned int type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	*table = (struct img_symtab){ .elf = elf };
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		table->strings = sh.sh_link;
		table->data = elf_getdata(scn, NULL);
		break;
	}
	return table->data;
}

const char *img_symtab_next(struct img_symtab *table, GElf_Sym *sym)
{
	while (gelf_getsym(table->data, table->next, sym)) {
		const char *name =
			elf_strptr(table->elf, table->strings, sym->st_name);

		table->next++;
		if (sym->st_shndx != SHN_UNDEF && name && name[0])
			return name;
	}
	return NULL;
}
