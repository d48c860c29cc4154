/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps and the samples of a chunk, as columns. All first numbers stand together, then
 * all second ones, and so on, because zstd then finds more that is alike.
 */
#ifndef COUNTFILE_COLUMNS_H
#define COUNTFILE_COLUMNS_H

#include "countfile/chunk.h"
#include "countfile/countfile.h"

enum cf_column {
	CF_SHAPE, /* which of the others a step has */
	CF_BINARIES,
	CF_FROM,
	CF_TO,
	CF_LINE,
	CF_TYPE,
	CF_SEEN,
	CF_WEIGHT,
	CF_CYCLES,
	CF_TIMED,
	CF_LENGTH,
	CF_STEP_COLUMNS,

	/* of samples */
	CF_BINARY = 0,
	CF_OFFSET,
	CF_COUNT,
	CF_SAMPLE_COLUMNS,
};

enum { CF_ITEM_MAX = 96 }; /* more bytes than a step takes */

/* The chunk that is written. Set nr_columns, and all other members to 0. */
struct cf_encoder {
	unsigned int nr_columns;
	uint32_t items;
	size_t total; /* bytes in all columns */
	size_t sizes[CF_STEP_COLUMNS];
	struct cf_step step; /* the last one */
	struct cf_sample sample;
	uint8_t columns[CF_STEP_COLUMNS][CF_CHUNK_MAX];
	uint8_t bytes[CF_CHUNK_MAX];
};

/* Returns whether one more item may not fit. */
static inline bool cf_encoder_is_full(const struct cf_encoder *e)
{
	return e->total + 4 * e->nr_columns + CF_ITEM_MAX > CF_CHUNK_MAX;
}

/* Add an item. The chunk must not be full. */
void cf_encode_step(struct cf_encoder *e, const struct cf_step *step);
void cf_encode_sample(struct cf_encoder *e, const struct cf_sample *sample);

/*
 * Put the columns into e->bytes, and begin another chunk, of so many columns. Returns the
 * number of bytes.
 */
size_t cf_encoder_take(struct cf_encoder *e, unsigned int nr_columns);

/* The chunk that is read. The bytes belong to the caller. */
struct cf_decoder {
	uint32_t items; /* that are left */
	bool bad;
	struct cf_step step; /* the last one */
	struct cf_sample sample;
	struct {
		const uint8_t *p, *end;
	} columns[CF_STEP_COLUMNS];
};

/* Begin a chunk. Returns false if the bytes cannot be one. */
bool cf_decoder_begin(struct cf_decoder *d, unsigned int nr_columns, uint32_t items,
		      const uint8_t *bytes, size_t size);

/* Read an item. There must be one. Both return false if the bytes make no sense. */
bool cf_decode_step(struct cf_decoder *d, struct cf_step *step);
bool cf_decode_sample(struct cf_decoder *d, struct cf_sample *sample);

#endif
