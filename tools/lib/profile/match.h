/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the binaries that were recorded is the one on disk. */
#ifndef PROFILE_MATCH_H
#define PROFILE_MATCH_H

#include "profile/binary.h"
#include "profile/places.h"

enum prof_match {
	PROF_MATCH_NONE, /* nothing of that name or build id was recorded */
	PROF_MATCH_BUILD, /* only other builds of it: see *other */
	PROF_MATCH_NAME, /* by name alone: one of them has no build id */
	PROF_MATCH_ID,
};

/* Of one of them. */
enum prof_match prof_match_one(const struct prof_code *code,
			       const struct prof_binary *binary);

/*
 * Sets is_mine, which has a place for each of the recorded binaries, and with
 * PROF_MATCH_BUILD the number of one of the other builds in *other.
 */
enum prof_match prof_match(const struct prof_places *places,
			   const struct prof_code *code, bool *is_mine,
			   unsigned int *other);

#endif
