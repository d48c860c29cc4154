/* SPDX-License-Identifier: GPL-2.0-only */
/* The sample profiles of LLVM, for clang -fprofile-sample-use and llvm-profdata. */
#ifndef PROFILE_LLVM_H
#define PROFILE_LLVM_H

#include "profile/samples.h"

#include <stdio.h>

/*
 * Write the profile as text, or in the binary form "extbinary". Both return 0 or
 * PD_ENOMEM. An error of writing is in ferror(file).
 */
int prof_write_llvm(const struct prof_samples *samples, FILE *file);
int prof_write_llvm_ext(const struct prof_samples *samples, FILE *file);

/*
 * Returns how many functions, inlined functions and targets of calls have names that a text cannot
 * have. prof_write_llvm() leaves them out.
 */
size_t prof_llvm_unwritten(const struct prof_samples *samples);

#endif
