/* SPDX-License-Identifier: GPL-2.0-only */
/* What compilers and linkers append to the names of functions. */
#ifndef PROFILE_SUFFIX_H
#define PROFILE_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>

/* For whom a profile is: what a name, a discriminator and a count mean to it. */
enum prof_compiler {
	PROF_LLVM,
	PROF_GCC,
};

/*
 * How many bytes of a name the compiler looks a function up by. LLVM drops a last
 * ".llvm.N" or ".part.N", but not ".__uniq.N", which is a part of the name where
 * it was made unique. GCC drops each ".WORD.N" that passes behind the profile append.
 */
size_t prof_name_size(const char *name, enum prof_compiler compiler);

/* Is it a symbol of a part of a function that was split off, ".part.N" or ".cold"? */
bool prof_name_is_part(const char *name);

#endif
