// SPDX-License-Identifier: GPL-2.0-only
#include "image/modinfo.h"

#include "image/elf.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <string.h>

/* The section has "field=value" with a NUL behind each, and more NULs where it is aligned. */
static bool find_field(const Elf_Data *data, const char *field, char *value, size_t size)
{
	const char *at = data->d_buf, *end = at + data->d_size;
	const size_t len = strlen(field);

	for (; at < end; at += strnlen(at, end - at) + 1) {
		if ((size_t)(end - at) <= len || memcmp(at, field, len) || at[len] != '=')
			continue;
		at += len + 1;
		snprintf(value, size, "%.*s", (int)strnlen(at, end - at), at);
		return true;
	}
	return false;
}

bool img_modinfo(const char *path, const char *field, char *value, size_t size)
{
	/* Of libdw, only this reads compressed files. It places the sections of modules. */
	static const Dwfl_Callbacks callbacks = {
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *mod = dwfl ? dwfl_report_offline(dwfl, "module", path, -1) : NULL;
	Elf_Data *data = NULL;
	Dwarf_Addr moved;
	GElf_Shdr sh;
	Elf_Scn *scn;
	bool found;
	Elf *elf;

	elf = mod ? dwfl_module_getelf(mod, &moved) : NULL;
	scn = elf ? img_find_section(elf, SHT_PROGBITS, ".modinfo", &sh) : NULL;
	if (scn)
		data = elf_rawdata(scn, NULL);
	found = data && data->d_buf && find_field(data, field, value, size);
	if (dwfl)
		dwfl_end(dwfl);
	return found;
}
