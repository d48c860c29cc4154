/* SPDX-License-Identifier: GPL-2.0-only */
/* The suffixes that compilers and linkers append to the names of functions. */
#ifndef PROFILE_SUFFIX_H
#define PROFILE_SUFFIX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The compiler that reads a profile. It decides what a name, a discriminator and a count
 * mean.
 */
enum prof_compiler {
	PROF_LLVM,
	PROF_GCC_15, /* and older */
	PROF_GCC_16,
};

/*
 * Returns how many bytes of a name the compiler uses to search for a function. LLVM drops
 * a last ".llvm.N" or ".part.N". It keeps ".__uniq.N", which is a part of a name that was
 * made unique. It splits coroutines after it has read the profile, so the parts have the name of
 * the coroutine. GCC 16 drops each ".WORD.N" that passes after the profile append, and GCC 15 all
 * from the first dot on.
 */
size_t prof_name_size(const char *name, enum prof_compiler compiler);

/*
 * Returns whether a symbol is a part of a function that was split off: ".part.N" or
 * ".cold".
 */
bool prof_name_is_part(const char *name);

/*
 * Returns whether LLVM gives this name to a part of a coroutine that is entered after the
 * coroutine itself: ".resume", ".destroy" or ".cleanup". GCC gives such names to functions.
 */
bool prof_name_is_resumed(const char *name);

#endif
