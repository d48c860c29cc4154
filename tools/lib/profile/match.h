/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the recorded binaries that are the one on the disk. */
#ifndef PROFILE_MATCH_H
#define PROFILE_MATCH_H

#include "profile/binary.h"
#include "profile/places.h"

enum prof_match {
	PROF_MATCH_NONE, /* nothing with this name or build id was recorded */
	/* only other builds of it were recorded: see *other */
	PROF_MATCH_BUILD,
	/* only the name is the same; one of them has no build id */
	PROF_MATCH_NAME,
	PROF_MATCH_ID,
};

/* Compare one recorded binary. */
enum prof_match prof_match_one(const struct prof_code *code,
			       const struct prof_binary *binary);

/*
 * Set is_mine for each recorded binary. With PROF_MATCH_BUILD, also store the number of
 * one of the other builds in *other.
 */
enum prof_match prof_match(const struct prof_places *places,
			   const struct prof_code *code, bool *is_mine,
			   unsigned int *other);

#endif
