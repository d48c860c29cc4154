/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef IMAGE_INTERNAL_H
#define IMAGE_INTERNAL_H

#include "image/image.h"

#include <libelf.h>

struct img_symbol {
	uint64_t start, end; /* file offsets */
	const char *name;
	unsigned int rank; /* the lower, the better the name */
};

struct img_file {
	enum img_state state;
	char *name; /* as in the recording */
	char *error; /* NULL: none */
	uint8_t build_id[20]; /* as in the recording */
	unsigned int build_id_size;
	uint32_t hash;
	const uint8_t *map;
	uint64_t size;
	unsigned int bits;
	Elf *elf;
	bool has_symbols; /* read already */
	struct img_symbol *symbols; /* sorted, without overlaps */
	size_t nr_symbols, cap_symbols;
	char *plt_names;
};

/* Fill file->symbols. Out of memory or a damaged table: as many as there are. */
void img_read_symbols(struct img_file *file);

#endif
