/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pseudo-probes, which clang -fpseudo-probe-for-profiling gives a program: the address
 * at which a block of a function begins, of which the number stays the same whatever
 * the source's lines are. Two sections of the file, which are not loaded, have them.
 */
#ifndef PROFILE_PROBES_H
#define PROFILE_PROBES_H

#include "base/hash.h"
#include "profile/profile.h"

#include <stdbool.h>
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

/* Has the file, or its debug file, probes whose addresses are known? */
bool prof_has_probes(const struct prof_code *code);

/*
 * Read those of the functions in which the profile has ranges. prof_probes_close() is
 * to be called in every case.
 */
enum prof_probes_state prof_probes_open(struct prof_probes *probes,
					const struct prof *prof);
void prof_probes_close(struct prof_probes *probes);

#endif
