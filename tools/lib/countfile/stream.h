/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps and then samples, as chunks one after another in a file: in a counts file, and in
 * the temporary files of a merge.
 */
#ifndef COUNTFILE_STREAM_H
#define COUNTFILE_STREAM_H

#include "countfile/columns.h"

/* The sums of what a stream has. */
struct cf_totals {
	uint64_t steps, samples; /* how many of both */
	uint64_t entries, weight, cycles; /* of the steps */
	uint64_t sampled; /* the sum of the counts of the samples */
};

/* --- write --- */

/* Makes chunks. */
struct cf_out {
	struct cf_encoder *encoder;
	struct cf_packer packer;
	/* Writes a chunk. Returns 0, or ERROR_OUTPUT with a text. */
	int (*write)(void *arg, const void *bytes, size_t size, struct error *error);
	void *arg;
	bool has_step, has_sample;
	struct cf_step step; /* the last one */
	struct cf_sample sample;
	struct cf_totals totals;
};

/* Set write and arg first, and all other members to 0. Returns false if out of memory. */
bool cf_out_begin(struct cf_out *out);

/* The items must be sorted. All return 0, or ERROR_* with a text. */
int cf_out_step(struct cf_out *out, const struct cf_step *step, struct error *error);
int cf_out_sample(struct cf_out *out, const struct cf_sample *sample,
		  struct error *error);

/* Write the last chunk. */
int cf_out_end(struct cf_out *out, struct error *error);

void cf_out_free(struct cf_out *out);

/* --- read --- */

/* Reads chunks. */
struct cf_in {
	int fd;
	uint64_t at, end; /* offsets of the next chunk, and after the last one */
	const char *name; /* for messages */
	struct cf_unpacker *unpacker;
	uint32_t nr_binaries;
	uint8_t *bytes; /* of the current chunk */
	size_t cap;
	struct cf_chunk chunk;
	bool has_chunk, samples; /* the current chunk has samples */
	bool has_step, has_sample;
	struct cf_decoder decoder;
	struct cf_step step; /* the last one */
	struct cf_sample sample;
	struct cf_totals totals;
};

/*
 * Read the next step, or the next sample. What is read is checked: order, ranges, and that
 * the sums fit into 64 bits. Both return 1, 0 after the last one, or ERROR_* with a text.
 */
int cf_in_step(struct cf_in *in, struct cf_step *step, struct error *error);
int cf_in_sample(struct cf_in *in, struct cf_sample *sample, struct error *error);

/* Free what it has. The file and the unpacker belong to the caller. */
void cf_in_free(struct cf_in *in);

#endif
