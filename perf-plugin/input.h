/* SPDX-License-Identifier: GPL-2.0-only */
/* Which recording the perf around us reads. */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>

/*
 * Its path as perf was given it, or else an absolute one, to be freed. NULL: perf
 * reads none, or a pipe. is_gone: no file has this path any more, or another one.
 */
char *input_find(bool *is_gone);

#endif
