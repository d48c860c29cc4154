/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug information that is compressed with Zstandard. libelf reads it since elfutils 0.189,
 * and only if libelf was built with it. What is compressed with zlib, each libelf reads; what
 * would be too large in either form is hidden from it.
 */
#ifndef IMAGE_UNPACK_H
#define IMAGE_UNPACK_H

#include "image/elf.h"

/* What was found in a file. Zeroed: nothing so far. */
struct img_unpacked {
	void **v; /* the bytes of each section */
	size_t nr, cap;
	uint64_t size; /* of all of them, and of what libelf unpacks */
	/* The ch_type of a section that is compressed in an unknown form; 0: there is none. */
	unsigned int unknown;
	bool damaged; /* a section could not be unpacked, or would be too large */
};

/*
 * Put the bytes into the sections of elf, so that libdw finds sections that are not compressed.
 * Call this before libdw reads elf. libelf must be allowed to write to the section headers: elf
 * is of elf_begin(), or of memory that can be written.
 */
void img_unpack(struct img_unpacked *unpacked, Elf *elf);

/* Free the bytes, after elf was ended. */
void img_unpacked_free(struct img_unpacked *unpacked);

#endif
