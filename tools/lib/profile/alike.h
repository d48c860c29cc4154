/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of one name in different files, which no other file can call. Compilers look for a
 * profile by the name, so all of them get the counts of all.
 */
#ifndef PROFILE_ALIKE_H
#define PROFILE_ALIKE_H

#include "profile/lines.h"
#include "profile/suffix.h"

struct prof_alike {
	/* the count of the straight lines in them, without the hottest function of each name */
	uint64_t lines;
	size_t nr; /* how many names there are */
	char *first; /* the one with most of these lines, and two files; NULL: there is none */
};

/*
 * Find them among the functions that ran. Returns 0 or PD_ENOMEM. Call prof_alike_free() in
 * either case.
 */
int prof_alike_find(struct prof_alike *alike, const struct prof_lines *lines,
		    const struct prof *prof, enum prof_compiler compiler);
void prof_alike_free(struct prof_alike *alike);

#endif
