// SPDX-License-Identifier: GPL-2.0-only
#include "image/module.h"
#include "image/unpack.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ALIGN = 1 << 20 };

/* Where nothing is that runs after loading. */
#define ELSEWHERE (UINT64_C(1) << 40)

/* Code that is there as long as the module is. */
static bool stays(const GElf_Shdr *sh, const char *name)
{
	const uint64_t code = SHF_ALLOC | SHF_EXECINSTR;

	return (sh->sh_flags & code) == code && sh->sh_size &&
	       strncmp(name, ".init", 5) != 0;
}

/*
 * As layout_sections() in Linux' kernel/module/main.c does it: the order is that of
 * the file, each section begins at the next multiple of its alignment. A .plt is
 * filled while loading; how many calls share an entry is not the same in all
 * kernels, and it is no matter where no code follows, as after ld.bfd.
 */
const char *img_module_segments(Elf *elf, struct img_segments *segments)
{
	uint64_t end = IMG_MODULE_BASE;
	bool after_plt = false;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t size;

	if (!img_find_section(elf, SHT_NULL, ".gnu.linkonce.this_module", &sh))
		return "an object file, which is not linked yet";
	elf_rawfile(elf, &size);
	while ((scn = img_next_section(elf, scn, &sh))) {
		const char *name = img_section_name(elf, &sh);
		uint64_t align;

		if (!strcmp(name, ".plt")) {
			after_plt = true;
			continue;
		}
		if (!stays(&sh, name))
			continue;
		if (after_plt)
			return "has its .plt before its code, and only the kernel knows the size of the .plt; link the module with ld.bfd, or build it without CONFIG_RELOCATABLE";
		align = sh.sh_addralign ? sh.sh_addralign : 1;
		if (align & (align - 1) || align > MAX_ALIGN ||
		    (sh.sh_type != SHT_NOBITS &&
		     (sh.sh_offset > size || sh.sh_size > size - sh.sh_offset)))
			return "a damaged ELF file";
		end = (end + align - 1) & -align;
		if (!img_add_segment(segments, end, sh.sh_offset, sh.sh_size, name))
			return "out of memory";
		end += sh.sh_size;
	}
	return segments->nr ? NULL : "has no code";
}

bool img_module_is_packed(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && dot - path > 3 && !strncmp(dot - 3, ".ko", 3);
}

static const struct img_segment *find_section(const struct img_segments *segments,
					      const char *name)
{
	size_t i;

	for (i = 0; i < segments->nr; i++)
		if (!strcmp(segments->v[i].section, name))
			return &segments->v[i];
	return NULL;
}

bool img_module_addr(const struct img_segments *segments, Elf *elf, unsigned int section,
		     uint64_t *addr)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	const struct img_segment *s;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh))
		return false;
	s = find_section(segments, img_section_name(elf, &sh));
	if (s)
		*addr += s->addr;
	return s;
}

/* --- debug information --- */

struct img_module_debug {
	struct img_segments segments;
	Elf *elf;
	void *copy; /* of the file, which is relocated in place */
	Dwfl *dwfl;
};

static struct img_module_debug *self(void **userdata)
{
	return *userdata;
}

/* libdwfl takes the ELF object, and ends it. */
static int find_elf(Dwfl_Module *mod, void **userdata, const char *name,
		    Dwarf_Addr base, char **path, Elf **elf)
{
	(void)mod;
	(void)name;
	(void)base;
	*path = NULL;
	*elf = self(userdata)->elf;
	self(userdata)->elf = NULL;
	return -1;
}

/* It was looked for already. */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name,
			  Dwarf_Addr base, const char *file, const char *link,
			  GElf_Word crc, char **path)
{
	(void)mod;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)path;
	return -1;
}

static int section_address(Dwfl_Module *mod, void **userdata, const char *name,
			   Dwarf_Addr base, const char *section,
			   GElf_Word index, const GElf_Shdr *sh,
			   Dwarf_Addr *addr)
{
	const struct img_segment *s =
		find_section(&self(userdata)->segments, section);

	(void)mod;
	(void)name;
	(void)base;
	(void)index;
	(void)sh;
	*addr = s ? s->addr : ELSEWHERE;
	return 0;
}

/* NULL if it cannot be relocated, or out of memory. */
static Dwarf *relocated(struct img_module_debug *debug, Elf *elf, struct img_unpacked *unpacked)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = section_address,
	};
	size_t size;
	const char *file = elf_rawfile(elf, &size);
	Dwfl_Module *mod;
	Dwarf_Addr moved;
	void **userdata;

	debug->copy = file ? malloc(size) : NULL;
	if (!debug->copy)
		return NULL;
	memcpy(debug->copy, file, size);
	debug->elf = elf_memory(debug->copy, size);
	debug->dwfl = dwfl_begin(&callbacks);
	if (!debug->elf || !debug->dwfl)
		return NULL;
	img_unpack(unpacked, debug->elf);
	dwfl_report_begin(debug->dwfl);
	mod = dwfl_report_module(debug->dwfl, "module", IMG_MODULE_BASE,
				 ELSEWHERE);
	if (!mod || dwfl_report_end(debug->dwfl, NULL, NULL) ||
	    dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, NULL,
			     NULL) == NULL)
		return NULL;
	*userdata = debug;
	return dwfl_module_getdwarf(mod, &moved);
}

struct img_module_debug *img_module_debug(Elf *elf, struct img_unpacked *unpacked,
					  Dwarf **dwarf, bool *damaged)
{
	struct img_module_debug *debug = calloc(1, sizeof(*debug));
	GElf_Shdr sh;

	*dwarf = NULL;
	*damaged = false;
	if (!debug || !img_find_section(elf, SHT_NULL, ".debug_info", &sh) ||
	    sh.sh_type == SHT_NOBITS || img_module_segments(elf, &debug->segments))
		return debug;
	*dwarf = relocated(debug, elf, unpacked);
	*damaged = !*dwarf;
	return debug;
}

void img_module_debug_free(struct img_module_debug *debug)
{
	if (!debug)
		return;
	if (debug->dwfl)
		dwfl_end(debug->dwfl);
	elf_end(debug->elf);
	free(debug->segments.v);
	free(debug->copy);
	free(debug);
}
