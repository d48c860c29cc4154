/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules of the kernel, which are files that are not linked. When the kernel loads a
 * module, it puts the sections with code one after the other. Each section then has a
 * distance from the start of the mapping in a recording. An address in a module is this
 * distance plus IMG_MODULE_BASE. The debug information is relocated to these addresses.
 */
#ifndef IMAGE_MODULE_H
#define IMAGE_MODULE_H

#include "image/elf.h"

struct Dwarf;
struct img_unpacked;

/* It is not 0, because 0 is the address of functions that the linker has dropped. */
#define IMG_MODULE_BASE UINT64_C(0x10000000)

/*
 * Store the sections of a file that is not linked, by address. elf is a module or its
 * debug file. In a debug file, the sections have no bytes. Returns NULL, or one line that
 * says what is wrong with the file.
 */
const char *img_module_segments(Elf *elf, struct img_segments *segments);

/*
 * Returns whether the name is the name of a compressed module. Compressed modules are not
 * read.
 */
bool img_module_is_packed(const char *path);

/*
 * Add the address of a section of elf to *addr. elf is the module or its debug file.
 * Returns false if the section has no code that stays after loading.
 */
bool img_module_addr(const struct img_segments *segments, Elf *elf, unsigned int section,
		     uint64_t *addr);

/* The debug information of a module, relocated to its addresses. */
struct img_module_debug;

/*
 * Read the debug information from elf, which is the module or its debug file. *dwarf is
 * NULL if there is none that can be relocated. *damaged then tells whether it is damaged.
 * *unpacked, which is zeroed, gets what was compressed. Free it after the object. Returns NULL
 * if out of memory. img_module_debug_free() accepts NULL.
 */
struct img_module_debug *img_module_debug(Elf *elf, struct img_unpacked *unpacked,
					  struct Dwarf **dwarf, bool *damaged);
void img_module_debug_free(struct img_module_debug *debug);

#endif
