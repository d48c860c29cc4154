/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pseudo-probes that clang -fpseudo-probe-for-profiling adds to a program. A probe
 * tells the address at which a block of a function begins. The number of a block stays
 * the same if the lines of the source change. This file reads the probes from the bytes
 * of two sections. probe_file.h finds these sections.
 */
#ifndef PROFILE_PROBES_H
#define PROFILE_PROBES_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parent of a scope that has none, and a function that is not known. */
#define PROF_NO_PROBED UINT32_MAX

/* What .pseudo_probe_desc tells about a function. */
struct prof_probed {
	uint64_t guid; /* the number that LLVM computes from its name */
	/* the checksum of its blocks when they were numbered */
	uint64_t checksum;
	const char *name;
};

/* A function as it was compiled, or an inlined copy of a function. */
struct prof_probe_scope {
	uint32_t func; /* index in funcs; PROF_NO_PROBED: not known */
	/* the scope in which it was inlined; PROF_NO_PROBED: none */
	uint32_t parent;
	uint32_t call; /* the probe in the parent; 0: not known */
};

/* The number of the first block of a function. */
enum { PROF_PROBE_ENTRY = 1 };

struct prof_probe {
	uint64_t addr;
	uint32_t scope;
	uint32_t id;
	uint32_t discriminator;
	bool is_call; /* the probe is a call and not a block */
};

struct prof_probes {
	struct prof_probe *v; /* ordered by address */
	/* a parent stands before the scopes that are inlined in it */
	struct prof_probe_scope *scopes;
	struct prof_probed *funcs;
	size_t nr, cap;
	size_t nr_scopes, cap_scopes;
	size_t nr_funcs, cap_funcs;
	struct hash by_guid; /* index of funcs */
	char *names; /* the names of funcs */
};

enum prof_probes_state {
	PROF_PROBES_OK,
	PROF_PROBES_DAMAGED,
	PROF_PROBES_NO_MEMORY,
};

/* A symbol whose probes are needed. */
struct prof_probe_start {
	uint64_t guid; /* the number that LLVM computes from its name */
	uint64_t addr;
};

/* The bytes to read. All of them belong to the caller. */
struct prof_probe_bytes {
	const void *funcs, *trees; /* .pseudo_probe_desc and .pseudo_probe */
	size_t funcs_size, trees_size;
	uint64_t moved; /* to add to the addresses in them */
	const struct prof_probe_start *starts; /* ordered by guid */
	size_t nr_starts;
};

/* Returns the number that LLVM computes from a name. */
uint64_t prof_probe_guid(const char *name);

/* Read the probes after each start. Call prof_probes_free() in every case. */
enum prof_probes_state prof_probes_read(struct prof_probes *probes,
					const struct prof_probe_bytes *bytes);

/* Returns what is known about the function with this number, or NULL. */
const struct prof_probed *prof_probed_func(const struct prof_probes *probes,
					   uint64_t guid);
void prof_probes_free(struct prof_probes *probes);

#endif
