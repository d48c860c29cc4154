/* SPDX-License-Identifier: GPL-2.0-only */
/* The inputs of `ssctr merge`: counts files, recordings and pipes. */
#ifndef SSCTR_MERGE_H
#define SSCTR_MERGE_H

#include "countfile/merge.h"
#include "recording.h"

/* Set rec, and all other members to 0. */
struct merge_inputs {
	struct rec *rec; /* says where the code of recordings is */
	struct cf_input *v;
	size_t nr, cap;
	size_t refused; /* were reported and are not in v */
};

/*
 * Add an input. A recording is counted at once. CMD_OK, also if it is refused, or CMD_FAIL,
 * which was reported.
 */
int merge_inputs_add(struct merge_inputs *inputs, const char *path, double factor);

/* Add one input for each line of a file. "-" is standard input. Returns as above. */
int merge_inputs_from(struct merge_inputs *inputs, const char *path);

void merge_inputs_free(struct merge_inputs *inputs);

#endif
