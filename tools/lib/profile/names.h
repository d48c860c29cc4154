/* SPDX-License-Identifier: GPL-2.0-only */
/* The names in a profile, each once: binary formats refer to them by number. */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

#include "profile/samples.h"

struct prof_names {
	const char **v; /* sorted */
	size_t nr;
};

/* False: out of memory. prof_names_free() is to be called in either case. */
bool prof_names_make(struct prof_names *names, const struct prof_samples *s);
void prof_names_free(struct prof_names *names);

/* The name's number; it is one of them. */
size_t prof_name_index(const struct prof_names *names, const char *name);

#endif
