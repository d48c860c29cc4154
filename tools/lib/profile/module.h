/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules of the kernel, which are files that are not linked. When the kernel loads a
 * module, it puts the sections with code one after the other. Each section then has a
 * distance from the start of the mapping in a recording. An address in a module is this
 * distance plus PROF_MODULE_BASE. The debug information is relocated to these addresses.
 */
#ifndef PROFILE_MODULE_H
#define PROFILE_MODULE_H

#include "profile/binary.h"

struct Dwarf;

/* It is not 0, because 0 is the address of functions that the linker has dropped. */
#define PROF_MODULE_BASE UINT64_C(0x10000000)

/*
 * Fill in code->segments and set code->module, for a file that is not linked. Returns
 * NULL, or one line that says what is wrong with the file.
 */
const char *prof_module_segments(struct prof_code *code);

/*
 * Returns whether the name is the name of a compressed module. Compressed modules are not
 * read.
 */
bool prof_module_is_packed(const char *path);

/*
 * Add the address of a section to *addr. elf is the module or its debug file. Returns
 * false if the section has no code that stays after loading.
 */
bool prof_module_addr(const struct prof_code *code, struct Elf *elf,
		      unsigned int section, uint64_t *addr);

/* The debug information of a module, relocated to its addresses. */
struct prof_module_debug;

/*
 * Read the debug information from elf, which is the module or its debug file. *dwarf is
 * NULL if there is none that can be relocated. *damaged then tells whether it is damaged.
 * Returns NULL if out of memory.
 */
struct prof_module_debug *prof_module_debug(const struct prof_code *code,
					    struct Elf *elf,
					    struct Dwarf **dwarf, bool *damaged);
void prof_module_debug_free(struct prof_module_debug *debug);

#endif
