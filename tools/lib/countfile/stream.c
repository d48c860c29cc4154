// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/stream.h"
#include "perfdata/perfdata.h"

#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The members that come after the places. */
static int compare_details(const struct cf_step *a, const struct cf_step *b)
{
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->mispredicted != b->mispredicted)
		return a->mispredicted ? 1 : -1;
	return a->youngest - b->youngest;
}

int cf_compare_steps(const struct cf_step *a, const struct cf_step *b)
{
	if (a->from_binary != b->from_binary)
		return compare(a->from_binary, b->from_binary);
	if (a->to_binary != b->to_binary)
		return compare(a->to_binary, b->to_binary);
	if (a->from != b->from)
		return compare(a->from, b->from);
	if (a->to != b->to)
		return compare(a->to, b->to);
	return compare_details(a, b);
}

int cf_compare_samples(const struct cf_sample *a, const struct cf_sample *b)
{
	if (a->binary != b->binary)
		return compare(a->binary, b->binary);
	return compare(a->offset, b->offset);
}

static bool is_place(uint32_t binary, uint64_t offset)
{
	return binary >= CF_FIRST_BINARY || !offset;
}

/* Returns whether a step or a sample can be by itself. */
static bool is_step(const struct cf_step *step)
{
	return step->type < PD_BR_NR && step->seen && step->timed <= step->seen &&
	       (step->timed || !step->cycles) &&
	       is_place(step->from_binary, step->from) &&
	       is_place(step->to_binary, step->to);
}

static bool is_sample(const struct cf_sample *sample)
{
	return sample->count && is_place(sample->binary, sample->offset);
}

/* Both return false if a sum does not fit into 64 bits. */
static bool add_step(struct cf_totals *totals, const struct cf_step *step)
{
	totals->steps++;
	return !__builtin_add_overflow(totals->entries, step->seen, &totals->entries) &&
	       !__builtin_add_overflow(totals->weight, step->weight, &totals->weight) &&
	       !__builtin_add_overflow(totals->cycles, step->cycles, &totals->cycles);
}

static bool add_sample(struct cf_totals *totals, const struct cf_sample *sample)
{
	totals->samples++;
	return !__builtin_add_overflow(totals->sampled, sample->count, &totals->sampled);
}

/* ------------------------------------------------------------------- write */

bool cf_out_begin(struct cf_out *out)
{
	out->encoder = calloc(1, sizeof(*out->encoder));
	if (out->encoder)
		out->encoder->nr_columns = CF_STEP_COLUMNS;
	return out->encoder;
}

void cf_out_free(struct cf_out *out)
{
	cf_packer_free(&out->packer);
	free(out->encoder);
	out->encoder = NULL;
}

/* Write the chunk that is there, and begin another one. */
static int flush(struct cf_out *out, unsigned int nr_columns, struct error *error)
{
	struct cf_encoder *e = out->encoder;
	const char *tag = e->nr_columns == CF_STEP_COLUMNS ? "STEP" : "SAMP";
	uint32_t items = e->items;
	size_t size = cf_encoder_take(e, nr_columns);

	if (!items)
		return 0;
	if (!cf_pack(&out->packer, tag, items, e->bytes, size))
		return error_nomem(error);
	return out->write(out->arg, out->packer.out, out->packer.size, error);
}

int cf_out_step(struct cf_out *out, const struct cf_step *step, struct error *error)
{
	int ret = 0;

	if (!is_step(step) || out->encoder->nr_columns != CF_STEP_COLUMNS ||
	    (out->has_step && cf_compare_steps(&out->step, step) >= 0))
		return error_set(error, ERROR_INPUT,
				 "the steps are not sorted, or one of them is wrong");
	if (!add_step(&out->totals, step))
		return error_set(error, ERROR_INPUT,
				 "the counts of the steps do not fit into 64 bits");
	out->step = *step;
	out->has_step = true;
	if (cf_encoder_is_full(out->encoder))
		ret = flush(out, CF_STEP_COLUMNS, error);
	if (!ret)
		cf_encode_step(out->encoder, step);
	return ret;
}

int cf_out_sample(struct cf_out *out, const struct cf_sample *sample, struct error *error)
{
	int ret = 0;

	if (!is_sample(sample) ||
	    (out->has_sample && cf_compare_samples(&out->sample, sample) >= 0))
		return error_set(error, ERROR_INPUT,
				 "the samples are not sorted, or one of them is wrong");
	if (!add_sample(&out->totals, sample))
		return error_set(error, ERROR_INPUT,
				 "the counts of the samples do not fit into 64 bits");
	out->sample = *sample;
	out->has_sample = true;
	if (out->encoder->nr_columns != CF_SAMPLE_COLUMNS ||
	    cf_encoder_is_full(out->encoder))
		ret = flush(out, CF_SAMPLE_COLUMNS, error);
	if (!ret)
		cf_encode_sample(out->encoder, sample);
	return ret;
}

int cf_out_end(struct cf_out *out, struct error *error)
{
	return flush(out, CF_SAMPLE_COLUMNS, error);
}

/* -------------------------------------------------------------------- read */

void cf_in_free(struct cf_in *in)
{
	free(in->bytes);
	in->bytes = NULL;
	in->cap = 0;
}

static int unpack(struct cf_in *in, struct error *error)
{
	const struct cf_chunk *chunk = &in->chunk;
	uint8_t *bytes;

	if (in->cap < chunk->size) {
		bytes = realloc(in->bytes, chunk->size);
		if (!bytes)
			return error_nomem(error);
		in->bytes = bytes;
		in->cap = chunk->size;
	}
	return cf_unpack(in->unpacker, chunk, in->fd, in->at - chunk->stored, in->bytes,
			 in->name, error);
}

/* Read the header of the next chunk. Returns 1, 0 after the last one, or ERROR_*. */
static int next_header(struct cf_in *in, struct error *error)
{
	uint8_t header[CF_CHUNK_HEADER];
	int ret;

	if (in->at == in->end)
		return 0;
	if (in->end - in->at < CF_CHUNK_HEADER)
		return cf_damaged(error, in->name, "a chunk is cut");
	ret = cf_read_at(in->fd, in->at, header, sizeof(header), in->name, error);
	if (ret)
		return ret;
	cf_chunk_get(&in->chunk, header);
	in->at += CF_CHUNK_HEADER;
	if (in->chunk.stored > in->end - in->at)
		return cf_damaged(error, in->name, "a chunk is cut");
	in->at += in->chunk.stored;
	return 1;
}

/* Begin the chunk whose header was read. Returns 0, also if it is not needed. */
static int begin_chunk(struct cf_in *in, struct error *error)
{
	const struct cf_chunk *chunk = &in->chunk;
	bool steps = cf_is_tag(chunk->tag, "STEP");
	int ret;

	if (!steps && !cf_is_tag(chunk->tag, "SAMP")) {
		if (cf_is_optional(chunk->tag))
			return 0;
		if (!cf_tag_is_text(chunk->tag))
			return cf_damaged(error, in->name, "a chunk is wrong");
		return error_set(error, ERROR_INPUT,
				 "%s: has chunks %.4s, which this ssctr does not know; use a newer ssctr",
				 in->name, chunk->tag);
	}
	if (!chunk->size || chunk->size > CF_CHUNK_MAX || (steps && in->samples))
		return cf_damaged(error, in->name, "a chunk is wrong");
	ret = unpack(in, error);
	if (ret)
		return ret;
	in->samples = !steps;
	in->has_chunk = true;
	if (cf_decoder_begin(&in->decoder, steps ? CF_STEP_COLUMNS : CF_SAMPLE_COLUMNS,
			     chunk->items, in->bytes, chunk->size))
		return 0;
	return cf_damaged(error, in->name, "a chunk is wrong");
}

/* Returns 1 if there is an item, 0 at the end, or ERROR_*. */
static int find_item(struct cf_in *in, struct error *error)
{
	int ret;

	while (!in->has_chunk || !in->decoder.items) {
		in->has_chunk = false;
		ret = next_header(in, error);
		if (ret > 0)
			ret = begin_chunk(in, error) ?: 1;
		if (ret <= 0)
			return ret;
	}
	return 1;
}

int cf_in_step(struct cf_in *in, struct cf_step *step, struct error *error)
{
	int ret = find_item(in, error);

	if (ret <= 0 || in->samples)
		return ret < 0 ? ret : 0;
	if (!cf_decode_step(&in->decoder, step) || !is_step(step) ||
	    step->from_binary >= in->nr_binaries || step->to_binary >= in->nr_binaries)
		return cf_damaged(error, in->name, "a step is wrong");
	if (in->has_step && cf_compare_steps(&in->step, step) >= 0)
		return cf_damaged(error, in->name, "the steps are not sorted");
	if (!add_step(&in->totals, step))
		return cf_damaged(error, in->name, "the counts of the steps are wrong");
	in->step = *step;
	in->has_step = true;
	return 1;
}

int cf_in_sample(struct cf_in *in, struct cf_sample *sample, struct error *error)
{
	int ret = find_item(in, error);

	if (ret <= 0)
		return ret;
	if (!in->samples || !cf_decode_sample(&in->decoder, sample) ||
	    !is_sample(sample) || sample->binary >= in->nr_binaries)
		return cf_damaged(error, in->name, "a sample is wrong");
	if (in->has_sample && cf_compare_samples(&in->sample, sample) >= 0)
		return cf_damaged(error, in->name, "the samples are not sorted");
	if (!add_sample(&in->totals, sample))
		return cf_damaged(error, in->name, "the counts of the samples are wrong");
	in->sample = *sample;
	in->has_sample = true;
	return 1;
}
