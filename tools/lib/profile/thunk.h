/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Thunks: where a virtual function is entered through a base class or an interface that is not
 * at the beginning of the object. They correct the pointer to the object, and jump to the
 * function. GCC also inlines the function into its thunk, and tells only the lines of such a
 * thunk, and not that it is a function.
 */
#ifndef PROFILE_THUNK_H
#define PROFILE_THUNK_H

#include "profile/binary.h"

/*
 * Returns the name that the linker has for the function behind a thunk, without the "_Z" of C++.
 * It is a part of the symbol's name. Returns NULL if the symbol is no thunk's, by the names of C++
 * (Itanium ABI, 5.1.4.4, "Virtual Tables and RTTI") and of D's compiler gdc.
 */
const char *prof_thunk_rest(const char *symbol);

/* Returns whether this function is behind the thunk. Both are names for the linker. */
bool prof_is_thunk_of(const char *symbol, const char *function);

/* Returns whether the thunk does nothing but jump to its function. */
bool prof_thunk_jumps(const struct prof_code *code, const struct img_symbol *symbol);

#endif
