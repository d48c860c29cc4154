/* SPDX-License-Identifier: GPL-2.0-only */
/* Names, each once: binary formats refer to them by number. */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

#include "profile/samples.h"

/* All 0 before the first; the caller frees v. */
struct prof_names {
	const char **v; /* by the alphabet, once they are sorted */
	size_t nr, cap;
};

/* NULL is none. False: out of memory. */
bool prof_names_add(struct prof_names *names, const char *name);

/* To be called when all were added. */
void prof_names_sort(struct prof_names *names);

/* Those of a profile's functions, sorted. False: out of memory. */
bool prof_names_make(struct prof_names *names, const struct prof_samples *s);

/* The name's number; it is one of them. */
size_t prof_name_index(const struct prof_names *names, const char *name);

#endif
