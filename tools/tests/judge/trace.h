/* SPDX-License-Identifier: GPL-2.0-only */
/* The STF trace that is judged. */
#ifndef JUDGE_TRACE_H
#define JUDGE_TRACE_H

#include <stdio.h>
#include <stdlib.h>

#include "stf/stf.h"

/* Its instructions. Without a trace, the program ends. The caller frees both. */
static inline struct stf_inst_iter *open_trace(const char *path, struct stf_reader **reader)
{
	struct stf_inst_iter *iter = NULL;
	struct stf_error err = { .text = "no memory" };

	*reader = stf_reader_open(path, NULL, &err);
	if (*reader)
		iter = stf_inst_iter_new(*reader, sizeof(struct stf_inst));
	if (iter)
		return iter;
	fprintf(stderr, "%s\n", err.text);
	exit(2);
}

#endif
