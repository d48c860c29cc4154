/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile by functions and lines, or probes, as compilers take it. A function that was
 * inlined is counted where it was, as a part of the function around it.
 */
#ifndef PROFILE_SAMPLES_H
#define PROFILE_SAMPLES_H

#include "base/hash.h"
#include "profile/lines.h"
#include "profile/probes.h"
#include "profile/suffix.h"

#define PROF_NO_FUNC UINT32_MAX

/*
 * Lines from the function's own on, of 16 bits as the compilers reckon, and the
 * discriminator that tells apart what is on one line.
 */
struct prof_loc {
	uint32_t offset;
	uint32_t discriminator;
};

struct prof_func {
	const char *name;
	const char *file; /* in which it is declared; NULL: not known */
	uint32_t parent; /* PROF_NO_FUNC: not inlined */
	struct prof_loc call; /* where, in the parent */
	uint64_t total; /* the instructions' counts, each by its bytes */
	uint64_t head; /* how often it was entered */
	uint64_t checksum; /* of its blocks, where the profile is by probes */
	/* Its part of the arrays below. */
	uint32_t body, nr_body;
	uint32_t children, nr_children;
};

struct prof_body {
	uint32_t func;
	struct prof_loc loc;
	uint64_t count; /* of the instruction of it that ran most often */
	uint32_t targets, nr_targets;
};

struct prof_target {
	uint32_t func;
	struct prof_loc loc;
	const char *name;
	uint64_t count;
	bool indirect; /* the call's instruction does not name it */
};

struct prof_samples {
	/*
	 * Functions that were not inlined come first, by falling total; then the
	 * inlined ones, by parent, place and name.
	 */
	struct prof_func *funcs;
	struct prof_body *bodies; /* by function and place */
	struct prof_target *targets; /* by function, place and falling count */
	size_t nr_funcs, cap_funcs;
	size_t nr_bodies, cap_bodies;
	size_t nr_targets, cap_targets;
	size_t nr_top; /* functions that were not inlined */
	struct hash by_place; /* functions, by where they are inlined, and name */
	char **names; /* that are no part of the debug information */
	size_t nr_names, cap_names;
	bool calls_apart; /* several calls have the same place, as GCC has it */
	bool by_probe; /* offsets are the numbers of probes */
	bool fs; /* discriminators are LLVM's flow-sensitive ones */
};

/* Returns 0 or PD_ENOMEM; prof_samples_free() is to be called in either case. */
int prof_samples_make(struct prof_samples *samples, const struct prof *prof,
		      struct prof_lines *lines, enum prof_compiler compiler);

/*
 * The same by probes, of which names point to what probes has, for LLVM alone. lines may
 * be NULL; with them calls have targets where LLVM left no probe. *nr_off is how many of
 * the probes in what ran are at no instruction.
 */
int prof_samples_make_by_probe(struct prof_samples *samples,
			       const struct prof *prof,
			       const struct prof_probes *probes,
			       struct prof_lines *lines, size_t *nr_off);
void prof_samples_free(struct prof_samples *samples);

/* --- for those who make one --- */

/*
 * The one function of that name at that place, with counts of 0 if it is new.
 * PROF_NO_FUNC: out of memory.
 */
uint32_t prof_samples_func(struct prof_samples *samples,
			   const struct prof_func *func);

/* The count of an instruction, or of a probe at one. False: out of memory. */
bool prof_samples_add_body(struct prof_samples *samples, uint32_t func,
			   struct prof_loc loc, uint64_t count);

bool prof_samples_add_target(struct prof_samples *samples,
			     const struct prof_target *target);

/*
 * The name of a function as the compiler looks it up: the same, or a copy that the
 * samples own. NULL: out of memory.
 */
const char *prof_samples_name(struct prof_samples *samples, const char *name,
			      enum prof_compiler compiler);

/* When all is there: bring it into order. False: out of memory. */
bool prof_samples_settle(struct prof_samples *samples);

#endif
