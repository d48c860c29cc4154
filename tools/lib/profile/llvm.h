/* SPDX-License-Identifier: GPL-2.0-only */
/* LLVM's sample profiles, for clang -fprofile-sample-use and llvm-profdata. */
#ifndef PROFILE_LLVM_H
#define PROFILE_LLVM_H

#include "profile/samples.h"

#include <stdio.h>

/*
 * As text, and in the binary form "extbinary". Return 0 or PD_ENOMEM; what cannot
 * be written is an error of the file's.
 */
int prof_write_llvm(const struct prof_samples *samples, FILE *file);
int prof_write_llvm_ext(const struct prof_samples *samples, FILE *file);

#endif
