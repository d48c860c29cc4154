// SPDX-License-Identifier: GPL-2.0-only
#include "countfile/columns.h"

/* The bits of a shape. */
enum {
	SAME_BINARIES = 1 << 0, /* as in the step before */
	SAME_FROM = 1 << 1, /* the same source in the same binaries */
	HAS_LINE = 1 << 2,
	SAME_TYPE = 1 << 3,
	MISPREDICTED = 1 << 4,
	YOUNGEST = 1 << 5,
	TIMED = 1 << 6, /* at least one transfer has cycles */
	ALL_TIMED = 1 << 7, /* all of them have */
};

/* ------------------------------------------------------------------- write */

static void put(struct cf_encoder *e, unsigned int column, uint64_t v)
{
	uint8_t *begin = &e->columns[column][e->sizes[column]], *p = begin;

	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	e->sizes[column] += (size_t)(p - begin);
	e->total += (size_t)(p - begin);
}

/* A number of either sign; small ones take few bytes. */
static void put_signed(struct cf_encoder *e, unsigned int column, uint64_t v)
{
	put(e, column, v << 1 ^ -(v >> 63));
}

static unsigned int shape_of(const struct cf_step *step, const struct cf_step *last)
{
	unsigned int shape = 0;

	if (step->from_binary == last->from_binary &&
	    step->to_binary == last->to_binary)
		shape |= SAME_BINARIES;
	if (shape && step->from == last->from)
		shape |= SAME_FROM;
	if (step->line != CF_NO_LINE)
		shape |= HAS_LINE;
	if (step->type == last->type)
		shape |= SAME_TYPE;
	if (step->mispredicted)
		shape |= MISPREDICTED;
	if (step->youngest)
		shape |= YOUNGEST;
	if (step->timed)
		shape |= TIMED;
	if (step->timed && step->timed == step->seen)
		shape |= ALL_TIMED;
	return shape;
}

/* Where the numbers of a step begin: those of the step before, if it is near. */
static uint64_t from_base(unsigned int shape, const struct cf_step *last)
{
	return shape & SAME_BINARIES ? last->from : 0;
}

static uint64_t to_base(unsigned int shape, const struct cf_step *step,
			const struct cf_step *last)
{
	if (!(shape & SAME_FROM) && step->from_binary == step->to_binary)
		return step->from;
	return last->to;
}

void cf_encode_step(struct cf_encoder *e, const struct cf_step *step)
{
	const struct cf_step *last = &e->step;
	unsigned int shape = shape_of(step, last);

	e->columns[CF_SHAPE][e->sizes[CF_SHAPE]++] = (uint8_t)shape;
	e->total++;
	if (!(shape & SAME_BINARIES)) {
		put(e, CF_BINARIES, step->from_binary);
		put(e, CF_BINARIES, step->to_binary);
	}
	if (!(shape & SAME_FROM))
		put(e, CF_FROM, step->from - from_base(shape, last));
	put_signed(e, CF_TO, step->to - to_base(shape, step, last));
	if (shape & HAS_LINE)
		put_signed(e, CF_LINE, (uint64_t)(int64_t)step->line);
	if (!(shape & SAME_TYPE))
		put(e, CF_TYPE, step->type);
	put(e, CF_SEEN, step->seen);
	put(e, CF_WEIGHT, step->weight);
	if (shape & TIMED)
		put(e, CF_CYCLES, step->cycles);
	if (shape & TIMED && !(shape & ALL_TIMED))
		put(e, CF_TIMED, step->timed);
	put(e, CF_LENGTH, step->length);
	e->step = *step;
	e->items++;
}

void cf_encode_sample(struct cf_encoder *e, const struct cf_sample *sample)
{
	uint32_t ahead = sample->binary - e->sample.binary;

	put(e, CF_BINARY, ahead);
	put(e, CF_OFFSET, sample->offset - (ahead ? 0 : e->sample.offset));
	put(e, CF_COUNT, sample->count);
	e->sample = *sample;
	e->items++;
}

size_t cf_encoder_take(struct cf_encoder *e, unsigned int nr_columns)
{
	uint8_t *p = e->bytes;
	unsigned int i;

	for (i = 0; i < e->nr_columns; i++, p += 4)
		cf_put32(p, (uint32_t)e->sizes[i]);
	for (i = 0; i < e->nr_columns; p += e->sizes[i++])
		memcpy(p, e->columns[i], e->sizes[i]);
	memset(e->sizes, 0, sizeof(e->sizes));
	e->total = 0;
	e->items = 0;
	e->nr_columns = nr_columns;
	e->step = (struct cf_step){ 0 };
	e->sample = (struct cf_sample){ 0 };
	return (size_t)(p - e->bytes);
}

/* -------------------------------------------------------------------- read */

static inline uint64_t get(struct cf_decoder *d, unsigned int column)
{
	const uint8_t *p = d->columns[column].p, *end = d->columns[column].end;
	unsigned int bits = 0;
	uint64_t v = 0;
	uint8_t byte;

	do {
		if (p == end || bits > 63) {
			d->bad = true;
			return 0;
		}
		byte = *p++;
		v |= (uint64_t)(byte & 0x7f) << bits;
		bits += 7;
	} while (byte & 0x80);
	d->columns[column].p = p;
	return v;
}

static inline uint64_t get_signed(struct cf_decoder *d, unsigned int column)
{
	uint64_t v = get(d, column);

	return v >> 1 ^ -(v & 1);
}

/* A number that is not above max. */
static inline uint64_t get_upto(struct cf_decoder *d, unsigned int column,
				uint64_t max)
{
	uint64_t v = get(d, column);

	d->bad |= v > max;
	return v;
}

static int32_t get_line(struct cf_decoder *d)
{
	int64_t line = (int64_t)get_signed(d, CF_LINE);

	d->bad |= line <= INT32_MIN || line > INT32_MAX;
	return (int32_t)line;
}

bool cf_decoder_begin(struct cf_decoder *d, unsigned int nr_columns, uint32_t items,
		      const uint8_t *bytes, size_t size)
{
	struct cursor c = { bytes, bytes + size, false, false };
	const uint8_t *sizes = cursor_take(&c, 4 * nr_columns);
	unsigned int i;
	uint32_t n;

	*d = (struct cf_decoder){ .items = items };
	for (i = 0; sizes && i < nr_columns; i++) {
		n = cf_get32(sizes + 4 * i);
		d->columns[i].p = cursor_take(&c, n);
		d->columns[i].end = c.p;
	}
	return items && !c.cut && c.p == c.end;
}

/* Nothing may be left after the last item. */
static bool ends_well(struct cf_decoder *d)
{
	unsigned int i;

	if (!--d->items)
		for (i = 0; i < CF_STEP_COLUMNS; i++)
			d->bad |= d->columns[i].p != d->columns[i].end;
	return !d->bad;
}

static void get_places(struct cf_decoder *d, unsigned int shape, struct cf_step *step)
{
	const struct cf_step last = *step;

	if (!(shape & SAME_BINARIES)) {
		step->from_binary = (uint32_t)get_upto(d, CF_BINARIES, UINT32_MAX);
		step->to_binary = (uint32_t)get_upto(d, CF_BINARIES, UINT32_MAX);
	}
	if (!(shape & SAME_FROM))
		step->from = from_base(shape, &last) + get(d, CF_FROM);
	step->to = to_base(shape, step, &last) + get_signed(d, CF_TO);
}

bool cf_decode_step(struct cf_decoder *d, struct cf_step *step)
{
	struct cf_step *s = &d->step;
	unsigned int shape;

	if (d->columns[CF_SHAPE].p == d->columns[CF_SHAPE].end)
		return false;
	shape = *d->columns[CF_SHAPE].p++;
	if (!(shape & SAME_BINARIES) && shape & SAME_FROM)
		return false;
	get_places(d, shape, s);
	s->line = shape & HAS_LINE ? get_line(d) : CF_NO_LINE;
	if (!(shape & SAME_TYPE))
		s->type = (uint16_t)get_upto(d, CF_TYPE, UINT16_MAX);
	s->mispredicted = shape & MISPREDICTED;
	s->youngest = shape & YOUNGEST;
	s->seen = get(d, CF_SEEN);
	s->weight = get(d, CF_WEIGHT);
	s->cycles = shape & TIMED ? get(d, CF_CYCLES) : 0;
	s->timed = 0;
	if (shape & TIMED)
		s->timed = shape & ALL_TIMED ? s->seen : get(d, CF_TIMED);
	s->length = (uint32_t)get_upto(d, CF_LENGTH, UINT32_MAX);
	*step = *s;
	return ends_well(d);
}

bool cf_decode_sample(struct cf_decoder *d, struct cf_sample *sample)
{
	struct cf_sample *s = &d->sample;
	uint32_t ahead = (uint32_t)get_upto(d, CF_BINARY, UINT32_MAX - s->binary);

	s->offset = get(d, CF_OFFSET) + (ahead ? 0 : s->offset);
	s->binary += ahead;
	s->count = get(d, CF_COUNT);
	*sample = *s;
	return ends_well(d);
}
