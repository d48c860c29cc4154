/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of the processes of a trace, as its comments tell them one after the other.
 * A mapping replaces what was told before for its addresses.
 */
#ifndef ORIGIN_MAPS_H
#define ORIGIN_MAPS_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORIGIN_ALL UINT32_MAX /* a mapping of the kernel, which all processes have */

enum {
	ORIGIN_BUILD_ID_MAX = 20, /* bytes */
	/* Names of files have at most this number of bytes, with their NUL. */
	ORIGIN_NAME_MAX = 4096,
	/*
	 * More mappings at the same time than this number are forgotten, all of them. The
	 * trace tells them again. 0.8 MiB.
	 */
	ORIGIN_MAX_MAPS = 1 << 14,
	/*
	 * Files with their names: as many bytes together. Mappings of further ones are told
	 * as memory without a file.
	 */
	ORIGIN_MAX_FILE_BYTES = 1 << 19,
	/*
	 * A writer tells each mapping again after this number of instructions. So a reader
	 * who has read as many instructions before one knows its mapping.
	 */
	ORIGIN_REPEAT = 100000,
};

/* A mapping as it is told. */
struct origin_mapping {
	uint32_t pid; /* or ORIGIN_ALL */
	uint64_t start, end; /* end: the first address after it */
	uint64_t offset; /* the offset in the file that start has */
	const char *name; /* of the file; not terminated */
	size_t name_size;
	unsigned int build_id_size; /* bytes; 0: not known */
	uint8_t build_id[ORIGIN_BUILD_ID_MAX];
};

struct origin_file {
	char *name;
	unsigned int build_id_size; /* bytes; 0: not known */
	uint8_t build_id[ORIGIN_BUILD_ID_MAX];
};

/* A mapping, or the part of it that no later one has replaced. */
struct origin_map {
	uint64_t start, end, offset;
	uint32_t pid;
	uint32_t file; /* index in files */
	/*
	 * For writers: the number of the instruction at which the new trace has told it,
	 * plus 1; 0: it has not.
	 */
	uint64_t told;
};

/* Set all members to 0 first. */
struct origin_maps {
	struct origin_file *files;
	size_t nr_files, cap_files, file_bytes;
	struct hash by_name;
	struct origin_map *v; /* by process and address, none overlapping */
	size_t nr, cap;
	bool files_full; /* there are more files than fit in */
};

/*
 * Add a mapping. One that is known does not change. Pointers from origin_maps_find() are
 * not valid after this. Returns false if out of memory.
 */
bool origin_maps_add(struct origin_maps *maps, const struct origin_mapping *mapping);

/*
 * Returns the mapping of an address in a process, or the kernel's there. NULL: none is
 * known.
 */
struct origin_map *origin_maps_find(const struct origin_maps *maps, uint32_t pid,
				    uint64_t addr);

/* Returns the same as it would be told. Its name belongs to maps. */
struct origin_mapping origin_maps_mapping(const struct origin_maps *maps,
					  const struct origin_map *map);

void origin_maps_free(struct origin_maps *maps);

#endif
