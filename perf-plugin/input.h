/* SPDX-License-Identifier: GPL-2.0-only */
/* Which recording the perf around us reads. */
#ifndef INPUT_H
#define INPUT_H

/*
 * Its path as perf was given it, or else an absolute one, to be freed. NULL: perf
 * reads none, or a pipe.
 */
char *input_find(void);

#endif
