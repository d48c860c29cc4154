/* SPDX-License-Identifier: GPL-2.0-only */
/* The inputs of `ssctr merge`: counts files, recordings and pipes. */
#ifndef SSCTR_MERGE_H
#define SSCTR_MERGE_H

#include "countfile/merge.h"
#include "recording.h"
#include "tally/recordings.h"

/* Set rec and output, and all other members to 0. */
struct merge_inputs {
	struct rec *rec; /* says where the code of recordings is */
	const char *output; /* which can be an input, if that is a counts file */
	struct cf_input *v;
	size_t nr, cap;
	/* Those of v that are to be counted. `number` is the index in v. */
	struct tally_recording *recordings;
	size_t nr_recordings, cap_recordings;
	size_t refused; /* were reported; after merge_inputs_count(), they are not in v */
	bool progress; /* is shown */
	unsigned int percent; /* shown last */
};

/* Add an input. Returns CMD_OK, also if it is refused, or CMD_FAIL, which was reported. */
int merge_inputs_add(struct merge_inputs *inputs, const char *path, double factor);

/* Add one input for each line of a file. "-" is standard input. Returns as above. */
int merge_inputs_from(struct merge_inputs *inputs, const char *path);

/*
 * Count the recordings, so that all inputs are counts files. memory is in bytes. Returns as
 * above.
 */
int merge_inputs_count(struct merge_inputs *inputs, size_t memory, unsigned int threads);

void merge_inputs_free(struct merge_inputs *inputs);

#endif
