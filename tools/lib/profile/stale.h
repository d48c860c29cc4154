/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Use what was counted in another build of a binary, by the functions that both builds
 * have. A function is the same if its name, its size and its instructions are the same.
 * Constants, and addresses outside of the function, may differ, because the linker has
 * put other things around it.
 */
#ifndef PROFILE_STALE_H
#define PROFILE_STALE_H

#include "profile/binary.h"
#include "profile/places.h"

enum prof_stale_kind {
	PROF_STALE_SAME,
	PROF_STALE_CHANGED, /* the build has a function of this name, with other code */
	PROF_STALE_GONE, /* the build has no such function; or it is not known */
	PROF_STALE_PLT, /* no function, but the linker's way to one of a library */
	PROF_STALE_NR,
};

struct prof_stale;

/*
 * Find the file of the recorded build, by its build id, and compare it. `now` is the
 * build that gets the profile, and must exist as long as the object. Returns NULL if the
 * file is not found, or if out of memory.
 */
struct prof_stale *prof_stale_open(const struct prof_binary *recorded,
				   const struct prof_code *now,
				   const struct samples_opts *samples);

/* stale may be NULL. */
void prof_stale_free(struct prof_stale *stale);

/*
 * Find an offset in the file of the recorded build. If its function is the same, store
 * the address in the other build.
 */
enum prof_stale_kind prof_stale_addr(const struct prof_stale *stale, uint64_t offset,
				     uint64_t *addr);

#endif
