/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of coroutines that clang inlined where something resumes or destroys a coroutine. clang
 * splits coroutines after it has read the profile. At that time, there is an indirect call instead of
 * the part. Other functions that were inlined in place of an indirect call (promoted.h) are found with
 * the parts.
 */
#ifndef PROFILE_RESUMED_H
#define PROFILE_RESUMED_H

#include "profile/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prof_resumed_part {
	uint64_t addr; /* its first instruction */
	uint64_t count; /* how often this instruction ran */
	uint32_t scope;
};

struct prof_resumed {
	struct prof_resumed_part *v; /* ordered by address */
	size_t nr, cap;
	size_t at; /* the first part that is not before the instruction at work */
};

/* Returns whether a scope of clang is a part of a coroutine, inlined or not. */
bool prof_is_resumed(const struct prof *prof, const struct prof_lines *lines, uint32_t scope);

/*
 * Find the inlined scopes that is_part has. With --raw, there are none. Set all members to 0 first, and
 * call free() for v in every case. Returns false if out of memory.
 */
bool prof_resumed_find(struct prof_resumed *parts, const struct prof *prof,
		       const struct prof_lines *lines, const bool *is_part);

/* Count an instruction. They come by address, and each once. */
void prof_resumed_count(struct prof_resumed *parts, uint64_t addr, uint64_t count);

#endif
