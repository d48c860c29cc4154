// SPDX-License-Identifier: GPL-2.0-only
#include "count/weigh.h"
#include "base/array.h"

#include <stdlib.h>

enum {
	ORDERS = 2,
	START_BITS = 12,
	/* Of about 4 MB. Programs with more contexts do with the targets they have. */
	MOST_ROWS = 1 << 16,
	/* All of the first so many stacks are learnt from, half of twice as many, ... */
	SLOWER = 4096,
	/* What is expected before counts as much as so many that were seen. */
	PRIOR = 2,
};

/* So many transfers before the target are part of what is known of it. */
static const unsigned int orders[ORDERS] = { 1, WEIGH_CONTEXT };

/* --- rows --- */

static inline uint64_t first_key(uint64_t to)
{
	return to * UINT64_C(0x9e3779b97f4a7c15);
}

/* With one transfer more, from the newest to the oldest. */
static inline uint64_t next_key(uint64_t key, uint64_t from)
{
	return (key ^ key >> 29 ^ from) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Where the row is, or would be. */
static struct weigh_row *row_at(const struct weigh *w, uint64_t key)
{
	const size_t mask = ((size_t)1 << w->rows_bits) - 1;
	size_t i = key >> (64 - w->rows_bits);

	while (w->rows[i].key && w->rows[i].key != key)
		i = (i + 1) & mask;
	return &w->rows[i];
}

static bool grow_rows(struct weigh *w)
{
	const struct weigh was = *w;
	size_t i;

	w->rows_bits = was.rows ? was.rows_bits + 1 : START_BITS;
	w->rows = calloc((size_t)1 << w->rows_bits, sizeof(*w->rows));
	if (!w->rows) {
		*w = was;
		return false;
	}
	for (i = 0; was.rows && i < (size_t)1 << was.rows_bits; i++)
		if (was.rows[i].key)
			*row_at(w, was.rows[i].key) = was.rows[i];
	free(was.rows);
	return true;
}

/* A row to add to; NULL: there are too many. */
static struct weigh_row *make_row(struct weigh *w, uint64_t key)
{
	struct weigh_row *row = row_at(w, key);

	if (row->key)
		return row;
	if (w->nr_rows == MOST_ROWS)
		return NULL;
	/* Always with as many free ones. Without memory it does with what is there. */
	if (2 * w->nr_rows >= (size_t)1 << w->rows_bits) {
		if (!grow_rows(w))
			return NULL;
		row = row_at(w, key);
	}
	w->nr_rows++;
	row->key = key;
	return row;
}

/* --- learning --- */

/*
 * The first weight is a mean of 1 / what lines take; so that is what is learnt. The
 * second asks for the mean of what one line takes.
 */
static float term_of(unsigned int knot, uint32_t length)
{
	return knot ? 1 / (float)length : (float)length;
}

static float mean_of(const struct weigh_row *row, unsigned int knot)
{
	return knot ? row->nr[knot] / row->sum[knot] :
		      row->sum[knot] / row->nr[knot];
}

/* Deeper stacks than before: what was learnt is of other numbers of lines. */
static bool deepen(struct weigh *w, uint32_t depth)
{
	unsigned int i;

	free(w->rows);
	w->rows = NULL;
	w->nr_rows = 0;
	w->stacks = 0;
	w->depth = depth;
	for (i = 0; i + 1 < WEIGH_KNOTS; i++)
		w->knots[i] = i ? depth >> (WEIGH_KNOTS - 1 - i) ?: 1 : 1;
	w->knots[i] = depth - 1;
	return grow_rows(w);
}

/* What the lines from line i on took, the newer ones being before it. */
static void learn_line(struct weigh *w, size_t i, float weight)
{
	const struct weigh_line *v = w->v;
	uint64_t key = first_key(v[i].to);
	unsigned int o, k, order = 0;

	for (o = 0; o < ORDERS && i + orders[o] <= w->nr; o++) {
		struct weigh_row *row;

		for (; order < orders[o]; order++)
			key = next_key(key, v[i + order].from);
		row = make_row(w, key | 1);
		for (k = 0; row && k < WEIGH_KNOTS && w->knots[k] <= i + 1; k++) {
			uint32_t newer = i + 1 == w->knots[k] ?
						 0 :
						 v[i - w->knots[k]].end;

			row->sum[k] += weight * term_of(k, v[i].end - newer);
			row->nr[k] += weight;
		}
	}
}

void weigh_end(struct weigh *w)
{
	const float weight = 1 / (w->seen + 1);
	size_t i;

	for (i = 0; w->learns && i < w->nr; i++)
		learn_line(w, i, weight);
	w->stacks++;
}

/* --- what follows --- */

/* How much each line of a knot takes, as far as it is known where a stack was taken. */
static void expect(struct weigh *w, uint64_t to, const uint64_t *from,
		   unsigned int nr, float mean)
{
	unsigned int o, k, order = 0;
	uint64_t key = first_key(to);
	float at[WEIGH_KNOTS];
	uint32_t lines = 0;
	float before = 0;

	for (k = 0; k < WEIGH_KNOTS; k++)
		at[k] = w->knots[k] * mean;
	for (o = 0; o < ORDERS && orders[o] <= nr; o++) {
		const struct weigh_row *row;
		/* Rows have the weights of stacks; each was about this. */
		const float whole = w->depth * mean;

		for (; order < orders[o]; order++)
			key = next_key(key, from[order]);
		row = row_at(w, key | 1);
		for (k = 0; k < WEIGH_KNOTS && row->nr[k]; k++)
			at[k] = (mean_of(row, k) * row->nr[k] * whole +
				 at[k] * PRIOR) /
				(row->nr[k] * whole + PRIOR);
		if (!row->key)
			break;
	}
	for (k = 0; k < WEIGH_KNOTS; k++) {
		const uint32_t more = w->knots[k] - lines;

		w->step[k] = more ? (at[k] - before) / more : 1;
		if (w->step[k] < 1)
			w->step[k] = 1;
		before += more * w->step[k];
		lines += more;
	}
	w->expected = before;
	w->own = 2 * WEIGH_ONE / (w->step[0] * w->depth);
}

bool weigh_begin(struct weigh *w, uint64_t to, const uint64_t *from,
		 unsigned int nr, uint32_t nr_stack, float mean)
{
	if (nr_stack > w->depth && !deepen(w, nr_stack))
		return false;
	expect(w, to, from, nr, mean);
	w->seen = 0;
	w->ahead = w->depth - 1;
	w->knot = WEIGH_KNOTS - 1;
	w->learns = !(w->stacks % (1 + w->stacks / SLOWER));
	w->nr = 0;
	return array_cover(&w->v, nr_stack, &w->cap, sizeof(*w->v));
}

void weigh_free(struct weigh *w)
{
	free(w->rows);
	free(w->v);
	*w = (struct weigh){ 0 };
}
