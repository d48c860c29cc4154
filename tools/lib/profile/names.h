/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of names, each of them once. Binary formats refer to names by their numbers. */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

#include "profile/samples.h"

/* Set all members to 0 first. The caller frees v. */
struct prof_names {
	const char **v; /* in alphabetical order after prof_names_sort() */
	size_t nr, cap;
};

/* Add a name. NULL adds nothing. Returns false if out of memory. */
bool prof_names_add(struct prof_names *names, const char *name);

/* Call this when all names are added. */
void prof_names_sort(struct prof_names *names);

/*
 * Make the sorted list of the names of a profile's functions. Returns false if out of
 * memory.
 */
bool prof_names_make(struct prof_names *names, const struct prof_samples *s);

/* Returns the number of a name, which must be in the list. */
size_t prof_name_index(const struct prof_names *names, const char *name);

#endif
