/* SPDX-License-Identifier: GPL-2.0-only */
/* Code of every shape that a record must get right. */
#ifndef SELFTESTS_TRUTH_SHAPES_H
#define SELFTESTS_TRUTH_SHAPES_H

#include <stdint.h>

/*
 * A round of loops, calls, indirect calls, tail calls, recursion, switch tables,
 * all eight classes of jumps in compressed and uncompressed code and, in some
 * rounds, system calls, setjmp and signals. Which way it goes hangs on *@state, and
 * so differs from round to round.
 */
void truth_shapes(uint64_t *state);

#endif
