/* SPDX-License-Identifier: GPL-2.0-only */
/* AutoFDO's profiles for GCC -fauto-profile. */
#ifndef PROFILE_GCOV_H
#define PROFILE_GCOV_H

#include "profile/samples.h"

#include <stdio.h>

enum {
	PROF_GCOV_2 = 2, /* GCC 12 to 15 */
	PROF_GCOV_3 = 3, /* GCC 16 */
};

/* Returns 0 or PD_ENOMEM; what cannot be written is an error of the file's. */
int prof_write_gcov(const struct prof_samples *samples, unsigned int version,
		    FILE *file);

#endif
