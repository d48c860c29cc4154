/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binaries in recordings, and the numbers under which they are counted. Binaries are
 * the same if their names and build ids are the same. Therefore, the counts of several
 * recordings can be added, wherever their processes have mapped the binary.
 */
#ifndef PROFILE_PLACES_H
#define PROFILE_PLACES_H

#include "base/hash.h"
#include "count/count.h"
#include "image/elf.h"
#include "image/image.h"
#include "perfdata/space.h"

enum {
	PROF_NOWHERE = 0, /* nothing known is mapped there; the offset is 0 */
	PROF_KERNEL = 1, /* like PROF_NOWHERE, at an address of the kernel */
	PROF_FIRST_BINARY = 2,
};

/*
 * Added to the distances from the kernel's symbol, which can be negative, because the
 * symbol is not the first byte that is mapped.
 */
#define PROF_FROM_SYMBOL (UINT64_C(1) << (COUNT_OFFSET_BITS - 2))

struct prof_binary {
	char *name;
	unsigned int build_id_size; /* 0: not known */
	uint8_t build_id[20];
	bool kernel;
	bool made; /* code that the kernel made: there is no file */
	/* the file may be another one than ran: an input lacks `rewritten` of struct pd_dso */
	bool doubtful;
	/*
	 * The kernel has other addresses after each boot. Therefore, its offsets are
	 * distances from this symbol plus PROF_FROM_SYMBOL. NULL: offsets are offsets in
	 * a file, or in a module of the kernel distances from where it was loaded.
	 */
	char *symbol;
	/* as linked; the caller sets it before prof_derive() */
	uint64_t symbol_addr;
	struct img_file *file; /* NULL: it was not needed yet */
	bool has_code; /* of the kernel: the file is of this build */
	/* Another build than the one with the profile; NULL: the same, or not used. */
	struct prof_stale *stale;
};

struct prof_places {
	struct prof_binary *binaries; /* by number */
	size_t nr_binaries, cap_binaries;
	struct hash by_name;
	struct img *img; /* where the code is; set by the caller; NULL: nowhere */
	const char *vmlinux; /* the kernel's file; set by the caller; NULL: none */
	struct img_segments kernel; /* its code */
	/* Of the current recording: */
	struct pd_space *space;
	/* the numbers of its files, by struct pd_dso.id; 0: not set yet */
	unsigned int *numbers;
	size_t cap_numbers;
};

/* Returns false if out of memory. Call prof_places_free() in either case. */
bool prof_places_init(struct prof_places *places);
void prof_places_free(struct prof_places *places);

/* Begin another recording. */
void prof_places_begin(struct prof_places *places, struct pd_space *space);

/* End it: all its events were passed. */
void prof_places_end(struct prof_places *places);

/* The function for struct counts.find. */
bool prof_places_find(struct prof_places *places, uint32_t pid, uint64_t addr,
		      struct count_map *map);

/* The number for struct counts.maps: it is another one when a mapping may have changed. */
static inline uint64_t prof_places_maps(const struct prof_places *places)
{
	return 1 + pd_space_changes(places->space);
}

/*
 * Returns the number of the binary that is the same as this one. Only its name, build id,
 * symbol and whether it is of the kernel matter, and they are copied. Returns 0 if out of
 * memory.
 */
unsigned int prof_places_add(struct prof_places *places, const struct prof_binary *like);

/*
 * Returns whether it is memory of one process, such as code that the process made, so that no other
 * one has the same places.
 */
bool prof_is_private(const struct prof_binary *b);

/*
 * Returns the code at a place, and its length *len in bytes. Returns NULL if it is not
 * known. It is never known of modules of the kernel.
 */
const uint8_t *prof_places_code(struct prof_places *places, count_place place,
				uint64_t *len);

#endif
