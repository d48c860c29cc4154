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
	/* only the last part of the name is the same; one of them has no build id */
	PROF_MATCH_NAME,
	PROF_MATCH_PATH, /* the whole name is the same */
	PROF_MATCH_ID,
};

/* Compare one recorded binary. */
enum prof_match prof_match_one(const struct prof_code *code,
			       const struct prof_binary *binary);

/*
 * Set is_mine for each recorded binary that matches best. With PROF_MATCH_BUILD, also store
 * the number of one of the other builds in *other. With PROF_MATCH_NAME, also store the
 * number of one that has another name than the others, which is then another program. 0:
 * there is none.
 */
enum prof_match prof_match(const struct prof_places *places,
			   const struct prof_code *code, bool *is_mine,
			   unsigned int *other);

/* Returns whether one of the recorded binaries that are mine has the name of this one. */
bool prof_match_is_named(const struct prof_places *places, const bool *is_mine,
			 unsigned int number);

/*
 * Returns whether a recorded binary is another build of this one: it has its name, or that
 * of the recorded binary with its build id, which is_mine has.
 */
bool prof_match_is_other(const struct prof_places *places, const struct prof_code *code,
			 const bool *is_mine, unsigned int number);

/*
 * Set is_mine for each recorded binary that is the same as this one: by the build id, or
 * by the whole name if it has none.
 */
void prof_match_recorded(const struct prof_places *places, unsigned int number,
			 bool *is_mine);

#endif
