/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles by address, in the formats of the tools that read them. */
#ifndef PROFILE_WRITE_H
#define PROFILE_WRITE_H

#include "profile/profile.h"

#include <stdio.h>

/* An error of writing is in ferror(file). */

/* For llvm-profgen --unsymbolized-profile. Addresses count from the base of the text. */
void prof_write_profgen(const struct prof *prof, FILE *file);

/* For perf2bolt -pa. */
void prof_write_bolt(const struct prof *prof, FILE *file);

#endif
