/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile by functions and lines, or by functions and probes, in the form that
 * compilers need. An inlined function is counted as a part of the function that contains
 * it.
 */
#ifndef PROFILE_SAMPLES_H
#define PROFILE_SAMPLES_H

#include "base/hash.h"
#include "profile/lines.h"
#include "profile/probes.h"
#include "profile/suffix.h"

#define PROF_NO_FUNC UINT32_MAX

/*
 * A place in a function: the number of lines from the function's own line on, in 16 bits
 * as the compilers compute it, and the discriminator that distinguishes places on one
 * line.
 */
struct prof_loc {
	uint32_t offset;
	uint32_t discriminator;
};

/* Returns less than, equal to or greater than 0. */
int prof_compare_locs(struct prof_loc a, struct prof_loc b);

struct prof_func {
	const char *name;
	const char *file; /* the file with the declaration; NULL: not known */
	uint32_t parent; /* PROF_NO_FUNC: it was not inlined */
	struct prof_loc call; /* the place of the call in the parent */
	/* the sum of the counts of its instructions, each times its bytes */
	uint64_t total;
	uint64_t head; /* how often it was entered */
	/* the checksum of its blocks, if the profile is by probes */
	uint64_t checksum;
	/* The part of the arrays below that belongs to it. */
	uint32_t body, nr_body;
	uint32_t children, nr_children;
};

struct prof_body {
	uint32_t func;
	/*
	 * 0, or a number for each place where the function was inlined and counts for itself. The
	 * counts of all copies are summed up.
	 */
	uint32_t copy;
	struct prof_loc loc;
	uint64_t count; /* the count of its instruction that ran most often */
	uint32_t targets, nr_targets;
};

/* In place of the name of a target that has none in the binary. No function has this name. */
extern const char prof_unknown_target[];

struct prof_target {
	uint32_t func;
	struct prof_loc loc;
	const char *name;
	uint64_t count;
	bool indirect; /* the instruction of the call does not name it */
};

struct prof_samples {
	/*
	 * Functions that were not inlined come first, with the largest total first. The
	 * inlined functions follow, ordered by parent, place and name.
	 */
	struct prof_func *funcs;
	struct prof_body *bodies; /* ordered by function and place */
	/* ordered by function and place, with the largest count first */
	struct prof_target *targets;
	size_t nr_funcs, cap_funcs;
	size_t nr_bodies, cap_bodies;
	size_t nr_targets, cap_targets;
	size_t nr_top; /* how many functions were not inlined */
	/* index of the functions, by the place where they are inlined and by name */
	struct hash by_place;
	char **names; /* names that are not in the debug information */
	size_t nr_names, cap_names;
	bool calls_apart; /* several calls can have the same place, as in GCC */
	bool by_probe; /* offsets are the numbers of probes */
	bool fs; /* discriminators are the flow-sensitive ones of LLVM */
	bool fit; /* counts must fit into the weights that LLVM gives to branches */
};

/* Make the profile. Returns 0 or PD_ENOMEM. Call prof_samples_free() in either case. */
int prof_samples_make(struct prof_samples *samples, const struct prof *prof,
		      struct prof_lines *lines, enum prof_compiler compiler);

/*
 * Make the profile by probes, only for LLVM. Its names point to the names in probes.
 * lines may be NULL. With lines, calls also have targets where LLVM left no probe. Stores
 * in *nr_off how many probes of the code that ran lie at no instruction. Returns like
 * prof_samples_make().
 */
int prof_samples_make_by_probe(struct prof_samples *samples,
			       const struct prof *prof,
			       const struct prof_probes *probes,
			       struct prof_lines *lines, size_t *nr_off);

/* Returns the count of the straight lines in functions that have no probe. */
uint64_t prof_unprobed(const struct prof *prof, const struct prof_probes *probes);
void prof_samples_free(struct prof_samples *samples);

/* --- for code that makes a profile --- */

/*
 * Returns the number of the function with this name at this place. A new function has
 * counts of 0. Returns PROF_NO_FUNC if out of memory.
 */
uint32_t prof_samples_func(struct prof_samples *samples,
			   const struct prof_func *func);

/*
 * Add the count of an instruction, or of a probe at an instruction. Returns false if out
 * of memory.
 */
bool prof_samples_add_body(struct prof_samples *samples, uint32_t func,
			   struct prof_loc loc, uint64_t count);

bool prof_samples_add_target(struct prof_samples *samples,
			     const struct prof_target *target);

/*
 * Add the target of a branch. If its name is prof_unknown_target, add what the branch enters under
 * names that tell the places apart. Returns false if out of memory.
 */
bool prof_samples_add_targets(struct prof_samples *samples, const struct prof *prof,
			      const struct prof_branch *branch, const struct prof_target *target);

/*
 * Returns the name with which the compiler searches for a function: the same name, or a
 * copy that belongs to samples. Returns NULL if out of memory.
 */
const char *prof_samples_name(struct prof_samples *samples, const char *name,
			      enum prof_compiler compiler);

/*
 * Store in *name the name of what an indirect call enters at this address, by the symbol:
 * prof_unknown_target if there is none, or none that the compiler knows; NULL if the symbol does not
 * begin there, or is a part of a function. Returns false if out of memory.
 */
bool prof_samples_name_target(struct prof_samples *samples, const struct prof_code *code,
			      uint64_t addr, enum prof_compiler compiler, const char **name);

/*
 * Call this when everything is added. It sorts the arrays. Returns false if out of
 * memory.
 */
bool prof_samples_settle(struct prof_samples *samples);

#endif
