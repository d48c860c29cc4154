/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-probes, which clang -fpseudo-probe-for-profiling gives a program: the address
 * at which a block of a function begins, of which the number stays the same whatever
 * the source's lines are. Here they are read from the bytes of two sections; where these
 * are is for probe_file.h.
 */
#ifndef PROFILE_PROBES_H
#define PROFILE_PROBES_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A scope that is in no other, and a function that is not known. */
#define PROF_NO_PROBED UINT32_MAX

/* What .pseudo_probe_desc says of a function. */
struct prof_probed {
	uint64_t guid; /* LLVM's number for its name */
	uint64_t checksum; /* of its blocks, as they were when they were numbered */
	const char *name;
};

/* A function as it was compiled, or a copy of one that was inlined. */
struct prof_probe_scope {
	uint32_t func; /* of funcs; PROF_NO_PROBED: nothing is known of it */
	uint32_t parent; /* in which it was inlined; PROF_NO_PROBED: it was not */
	uint32_t call; /* the probe in the parent; 0: not known */
};

/* The number of a function's first block. */
enum { PROF_PROBE_ENTRY = 1 };

struct prof_probe {
	uint64_t addr;
	uint32_t scope;
	uint32_t id;
	uint32_t discriminator;
	bool is_call; /* and no block */
};

struct prof_probes {
	struct prof_probe *v; /* by address */
	struct prof_probe_scope *scopes; /* parents before what is inlined in them */
	struct prof_probed *funcs;
	size_t nr, cap;
	size_t nr_scopes, cap_scopes;
	size_t nr_funcs, cap_funcs;
	struct hash by_guid; /* of funcs */
	char *names; /* of funcs */
};

enum prof_probes_state {
	PROF_PROBES_OK,
	PROF_PROBES_DAMAGED,
	PROF_PROBES_NO_MEMORY,
};

/* A symbol of which probes are asked for. */
struct prof_probe_start {
	uint64_t guid; /* LLVM's number for its name */
	uint64_t addr;
};

/* What there is to read; all of it stays the caller's. */
struct prof_probe_bytes {
	const void *funcs, *trees; /* .pseudo_probe_desc and .pseudo_probe */
	size_t funcs_size, trees_size;
	uint64_t moved; /* to be added to addresses that stand in it */
	const struct prof_probe_start *starts; /* by number */
	size_t nr_starts;
};

/* LLVM's number for a name. */
uint64_t prof_probe_guid(const char *name);

/* Read the probes behind each start. prof_probes_free() is to be called in every case. */
enum prof_probes_state prof_probes_read(struct prof_probes *probes,
					const struct prof_probe_bytes *bytes);

/* What is known of the function with that number; NULL: nothing. */
const struct prof_probed *prof_probed_func(const struct prof_probes *probes,
					   uint64_t guid);
void prof_probes_free(struct prof_probes *probes);

#endif
