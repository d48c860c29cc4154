/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules of the kernel: files that are not linked. The kernel puts the sections
 * with code one behind the other when it loads them, which gives each a distance
 * from the start of what a recording has mapped. Addresses here are these
 * distances and PROF_MODULE_BASE, and debug information is relocated to them.
 */
#ifndef PROFILE_MODULE_H
#define PROFILE_MODULE_H

#include "profile/binary.h"

struct Dwarf;

/* Not 0, where functions that the linker dropped are looked for. */
#define PROF_MODULE_BASE UINT64_C(0x10000000)

/*
 * Fill in code->segments, and set code->module, for a file that is not linked.
 * Returns NULL, or one line that says what is wrong with it.
 */
const char *prof_module_segments(struct prof_code *code);

/* Is it, by its name, a module that is compressed, which is not read? */
bool prof_module_is_packed(const char *path);

/*
 * Add the address of a section of elf, the module's or its debug file's, to *addr.
 * False: it has no code that stays after loading.
 */
bool prof_module_addr(const struct prof_code *code, struct Elf *elf,
		      unsigned int section, uint64_t *addr);

/* The debug information of a module, at its addresses. */
struct prof_module_debug;

/*
 * That of elf, the module's or its debug file's. *dwarf is NULL if there is none
 * that can be relocated, *damaged if that is not for lack of it. Returns NULL if
 * out of memory.
 */
struct prof_module_debug *prof_module_debug(const struct prof_code *code,
					    struct Elf *elf,
					    struct Dwarf **dwarf, bool *damaged);
void prof_module_debug_free(struct prof_module_debug *debug);

#endif
