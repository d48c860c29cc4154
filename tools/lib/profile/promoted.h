/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that clang inlined where the source has an indirect call. clang compares the address
 * with that of the function, and inlines a direct call behind the comparison. When it reads the
 * profile, the call is indirect again. The indirect call for all other functions is still there,
 * on the same line.
 */
#ifndef PROFILE_PROMOTED_H
#define PROFILE_PROMOTED_H

#include "profile/samples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An indirect call. The offset of its place counts from line 0. */
struct prof_promoted_call {
	uint32_t scope;
	struct prof_loc loc;
};

/* Set all members to 0 first, and call free() for v in every case. */
struct prof_promoted {
	struct prof_promoted_call *v;
	size_t nr, cap;
};

/* Add an indirect call. Returns false if out of memory. */
bool prof_promoted_add(struct prof_promoted *calls, uint32_t scope, struct prof_loc loc);

/* Sort the calls. Do this after the last one was added, and before the first question. */
void prof_promoted_sort(struct prof_promoted *calls);

/* Returns whether there is an indirect call at this place of a scope. */
bool prof_promoted_has(const struct prof_promoted *calls, uint32_t scope, struct prof_loc loc);

#endif
