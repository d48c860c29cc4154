/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles by address, in the formats of those who read them. */
#ifndef PROFILE_WRITE_H
#define PROFILE_WRITE_H

#include "profile/profile.h"

#include <stdio.h>

/* What cannot be written is an error of the file's. */

/* llvm-profgen --unsymbolized-profile, addresses from the text's base on. */
void prof_write_profgen(const struct prof *prof, FILE *file);

/* perf2bolt -pa. */
void prof_write_bolt(const struct prof *prof, FILE *file);

#endif
