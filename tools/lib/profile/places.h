/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binaries that recordings name, as the numbers that are counted in. They are
 * told apart by name and build id, so that the counts of several recordings add
 * up, wherever their processes had the binary mapped.
 */
#ifndef PROFILE_PLACES_H
#define PROFILE_PLACES_H

#include "count/count.h"
#include "perfdata/space.h"

enum {
	PROF_NOWHERE = 0, /* nothing known is mapped there; offset 0 */
	PROF_KERNEL = 1, /* the same at a kernel's address */
	PROF_FIRST_BINARY = 2,
};

/* The kernel's symbol is not the first of what is mapped. */
#define PROF_FROM_SYMBOL (UINT64_C(1) << (COUNT_OFFSET_BITS - 2))

struct prof_binary {
	char *name;
	unsigned int build_id_size; /* 0: not known */
	uint8_t build_id[20];
	bool kernel;
	/*
	 * The kernel, which is elsewhere after each boot: its offsets are distances
	 * from this symbol, and PROF_FROM_SYMBOL. NULL: offsets in a file.
	 */
	const char *symbol;
	uint64_t symbol_addr; /* as linked; the caller's to set for prof_derive() */
};

struct prof_places {
	struct prof_binary *binaries; /* by number */
	size_t nr_binaries, cap_binaries;
	/* Of the recording at work: */
	struct pd_space *space;
	unsigned int *numbers; /* of its files, by struct pd_dso.id; 0: none yet */
	size_t cap_numbers;
};

/* False: out of memory; prof_places_free() in either case. */
bool prof_places_init(struct prof_places *places);
void prof_places_free(struct prof_places *places);

/* What follows is of another recording. */
void prof_places_begin(struct prof_places *places, struct pd_space *space);

/* As struct counts.find. */
bool prof_places_find(struct prof_places *places, uint32_t pid, uint64_t addr,
		      struct count_map *map);

#endif
