// SPDX-License-Identifier: GPL-2.0-only
#include "base/library.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

bool library_can_load(void)
{
	return getauxval(AT_BASE);
}

void *library_open(const char *name)
{
	return library_can_load() ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* The whole pages of a segment that nobody writes are those of its file. */
static void give_back_segment(const struct dl_phdr_info *info, const ElfW(Phdr) *segment)
{
	const uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t start = (info->dlpi_addr + segment->p_vaddr + mask) & ~mask;
	uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~mask;

	if (segment->p_type == PT_LOAD && !(segment->p_flags & PF_W) && start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

/*
 * To load LLVM, the dynamic linker reads 30 MiB of its relocations and symbols once, which
 * stay mapped. What is needed again is read again.
 */
static int give_back(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct link_map *library = arg;
	unsigned int i;

	(void)size;
	for (i = 0; info->dlpi_addr == library->l_addr && i < info->dlpi_phnum; i++)
		give_back_segment(info, &info->dlpi_phdr[i]);
	return 0;
}

static void *open_newest_llvm(void)
{
	/* 14 knows all extensions that the disassembler asks for. */
	enum { NEWEST = 40, OLDEST = 14 };
	static const char *const names[] = { "libLLVM.so.%d.1", "libLLVM-%d.so",
					     "libLLVM-%d.so.1" };
	unsigned int i;
	char name[32];
	void *library;
	int version;

	for (version = NEWEST; version >= OLDEST; version--)
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			snprintf(name, sizeof(name), names[i], version);
			library = library_open(name);
			if (library)
				return library;
		}
	return NULL;
}

void *library_open_llvm(void)
{
	void *library = open_newest_llvm();
	struct link_map *map;

	if (library && !dlinfo(library, RTLD_DI_LINKMAP, &map))
		dl_iterate_phdr(give_back, map);
	return library;
}

/* C has no cast from an object's pointer to a function's. */
bool library_find(void *library, const char *name, void *function)
{
	*(void **)function = dlsym(library, name);
	return *(void **)function;
}
