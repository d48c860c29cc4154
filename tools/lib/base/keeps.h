/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an output must not be: one of the inputs, which would be lost, or a terminal, if the
 * output is binary.
 */
#ifndef BASE_KEEPS_H
#define BASE_KEEPS_H

#include "base/error.h"

#include <stdbool.h>

/*
 * Returns whether the output is the file that the input is, by whatever names, or a file in
 * the folder that the input is (perf record --threads). The input "-" is the file that
 * standard input comes from, and the output "-" is no file.
 */
bool keeps_is_same(const char *output, const char *input);

/*
 * Check whether the input stays if output is written, which the user named with option
 * ("-o"): see keeps_is_same(). output and input may be NULL. Returns 0, or ERROR_OUTPUT with
 * a text.
 */
int keeps_input(const char *option, const char *output, const char *input,
		struct error *error);

/*
 * Check whether binary data can be written to output, which the user named with -o: it must
 * not be "-" if standard output is a terminal. Returns 0, or ERROR_OUTPUT with a text.
 */
int keeps_terminal(const char *output, struct error *error);

#endif
