/* SPDX-License-Identifier: GPL-2.0-only */
/* The profiles of AutoFDO, for GCC -fauto-profile. */
#ifndef PROFILE_GCOV_H
#define PROFILE_GCOV_H

#include "profile/samples.h"

#include <stdio.h>

enum {
	PROF_GCOV_2 = 2, /* for GCC 12 to 15 */
	PROF_GCOV_3 = 3, /* for GCC 16 */
};

/* Write the profile. Returns 0 or PD_ENOMEM. An error of writing is in ferror(file). */
int prof_write_gcov(const struct prof_samples *samples, unsigned int version,
		    FILE *file);

#endif
