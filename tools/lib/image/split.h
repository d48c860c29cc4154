/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Split debug information (-gsplit-dwarf). The program itself has the lines. The functions
 * are in .dwo files, or packed into PROGRAM.dwp. libdw opens these files.
 */
#ifndef IMAGE_SPLIT_H
#define IMAGE_SPLIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* What is missing in the units that were asked for. Zeroed: nothing so far. */
struct img_split {
	unsigned int nr_missing; /* units whose file was not found, or is of another build */
	char *missing; /* the name of the first of these files; NULL: not known */
	/*
	 * There is such a file, but without the sizes of functions. GCC leaves them out
	 * on RISC-V, because only the linker knows them.
	 */
	bool without_ends;
};

/*
 * Find the functions of a unit: store the unit itself in *functions, or the unit of its
 * .dwo or .dwp file. Returns false if the file is missing. *split then counts it.
 */
bool img_split_functions(struct img_split *split, Dwarf_Die *unit, Dwarf_Die *functions);

/*
 * Returns whether there is a .dwp file of a program that this machine's libdw is too old
 * to read.
 */
bool img_split_unread(const char *program);

void img_split_free(struct img_split *split);

#endif
