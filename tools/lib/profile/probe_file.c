// SPDX-License-Identifier: GPL-2.0-only
#include "profile/probe_file.h"
#include "base/array.h"

#include <stdlib.h>

/* The bytes of a section, here or in the debug file; *moved as img_debug_elf() has it. */
static const void *section(const struct prof_code *code, const char *name,
			   size_t *size, uint64_t *moved)
{
	Elf *elf = img_elf(code->file);
	Elf_Data *data = NULL;
	Elf_Scn *scn;
	GElf_Shdr sh;

	*moved = 0;
	scn = img_find_section(elf, SHT_PROGBITS, name, &sh);
	if (!scn) {
		elf = img_debug_elf(code->file, moved);
		scn = elf ? img_find_section(elf, SHT_PROGBITS, name, &sh) : NULL;
	}
	data = scn ? elf_rawdata(scn, NULL) : NULL;
	*size = data && data->d_buf ? data->d_size : 0;
	return *size ? data->d_buf : NULL;
}

/* False: it lacks one of the sections. */
static bool find_bytes(const struct prof_code *code,
		       struct prof_probe_bytes *bytes)
{
	bytes->funcs = section(code, ".pseudo_probe_desc", &bytes->funcs_size,
			       &bytes->moved);
	bytes->trees = section(code, ".pseudo_probe", &bytes->trees_size,
			       &bytes->moved);
	return bytes->funcs && bytes->trees;
}

bool prof_has_probes(const struct prof_code *code)
{
	struct prof_probe_bytes bytes;

	/* In files that are not linked the ways from probe to probe are not known. */
	return !code->module && find_bytes(code, &bytes);
}

/* Names of the same place may all have probes: those of constructors do. */
static bool find_starts(const struct prof *prof, struct prof_probe_start **starts,
			size_t *nr)
{
	struct img_symbols symbols;
	const char *name;
	size_t cap = 0;
	GElf_Sym sym;

	if (!img_file_symbols(prof->code->file, &symbols))
		return true;
	while ((name = img_next_symbol(&symbols, &sym))) {
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    !prof_has_range(prof, sym.st_value,
				    sym.st_value + sym.st_size))
			continue;
		if (!array_room(starts, *nr, &cap, sizeof(**starts)))
			return false;
		(*starts)[(*nr)++] = (struct prof_probe_start){
			prof_probe_guid(name), sym.st_value
		};
	}
	if (*nr)
		qsort(*starts, *nr, sizeof(**starts), array_order);
	return true;
}

enum prof_probes_state prof_probes_open(struct prof_probes *probes,
					const struct prof *prof)
{
	struct prof_probe_start *starts = NULL;
	enum prof_probes_state state = PROF_PROBES_NO_MEMORY;
	struct prof_probe_bytes bytes = { 0 };

	*probes = (struct prof_probes){ 0 };
	if (!find_bytes(prof->code, &bytes))
		return PROF_PROBES_DAMAGED;
	if (find_starts(prof, &starts, &bytes.nr_starts)) {
		bytes.starts = starts;
		state = prof_probes_read(probes, &bytes);
	}
	free(starts);
	return state;
}
