// SPDX-License-Identifier: GPL-2.0-only
#include "count/weigh.h"
#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	START_BITS = 12,
	/* Of 800 KB, with their keys. There may be more contexts: see drop_rows(). */
	MOST_ROWS = 1 << 14,
	NO_ROW = MOST_ROWS,
	/*
	 * All stacks of the first so many lines are learnt from, half of as many more, ... and one
	 * of RARELY in the end, as programs go on to do other things. It is half as many each time
	 * that there are four times as many lines: what a program does takes longer then, too.
	 */
	SLOWER = 1 << 15,
	RARELY = 16,
	/* What is expected before counts as much as so many that were seen. */
	PRIOR = 2,
};

_Static_assert(WEIGH_KNOTS == WEIGH_LANES, "a vector has either");

/* What was seen before rows were dropped counts so much afterwards. */
static const float AGED = 0.75f;

/* So that nothing seen of a knot adds nothing, and is not 0 / 0. */
static const float NOTHING = 1e-30f;

/* So many transfers before the target are part of what is known of it. */
static const unsigned int orders[WEIGH_ORDERS] = { 1, WEIGH_CONTEXT };

/*
 * What was seen of a context counts as at most so many. If much was seen after a transfer, but
 * nothing after the transfers that led to it now, it is not on its usual way: the stack itself
 * tells more then.
 */
static const float most_seen[WEIGH_ORDERS] = { 12, INFINITY };

/* --- rows --- */

/*
 * The key of a context is a hash of the sum of its addresses, each times a factor of its own.
 * Factors of sources are even, so their highest bit has no part in it.
 */
static const uint64_t factors[WEIGH_CONTEXT] = {
	UINT64_C(0xd6e8feb86659fd92), UINT64_C(0xaf251af3b0f025b6),
	UINT64_C(0x8ebc6af09c88c6e2), UINT64_C(0x589965cc75374cc6),
	UINT64_C(0x1d8e4e27c47d124e), UINT64_C(0xeb44accab455d166),
};

static inline uint64_t key_of(uint64_t sum)
{
	return (sum ^ sum >> 32) * UINT64_C(0xbf58476d1ce4e5b9) | 1;
}

static inline size_t slot_of(const struct weigh *w, uint64_t key)
{
	return key >> (64 - w->bits);
}

/*
 * Find the keys of the contexts of a target, and fetch what tells their rows into the cache.
 * from has the sources of the transfer to it and of those before, at this distance from each
 * other. Returns how many keys there are.
 */
static unsigned int find_keys(const struct weigh *w, uint64_t to,
			      const uint64_t *from, size_t distance, size_t nr,
			      uint64_t *keys)
{
	uint64_t sum = to * UINT64_C(0x9e3779b97f4a7c15);
	unsigned int o, order = 0;

	for (o = 0; o < WEIGH_ORDERS && orders[o] <= nr; o++) {
		for (; order < orders[o]; order++, from += distance)
			sum += *from * factors[order];
		keys[o] = key_of(sum);
		__builtin_prefetch(&w->keys[slot_of(w, keys[o])]);
	}
	return o;
}

/* The slot that the key has, or would have. */
static inline size_t find_slot(const struct weigh *w, uint64_t key)
{
	const size_t mask = ((size_t)1 << w->bits) - 1;
	size_t i = slot_of(w, key);

	while (w->keys[i] && w->keys[i] != key)
		i = (i + 1) & mask;
	return i;
}

/* Rows are half as many as slots. */
static size_t most_rows(const struct weigh *w)
{
	return ((size_t)1 << w->bits) / 2;
}

/* How much of the time of the stacks went into the line of a row, in stacks. */
static float use_of(const struct weigh_row *row)
{
	return row->num[0];
}

static void free_rows(struct weigh *w)
{
	free(w->keys);
	free(w->numbers);
	free(w->rows);
	w->keys = NULL;
	w->numbers = NULL;
	w->rows = NULL;
}

/* The keys of the rows, by number. NULL: out of memory. */
static uint64_t *list_keys(const struct weigh *w)
{
	const size_t slots = w->rows ? (size_t)1 << w->bits : 0, behind = w->nr_rows;
	uint64_t *keys = malloc((behind + 1) * sizeof(*keys));
	size_t i;

	for (i = 0; keys && i < slots; i++) {
		/* No branch, as no processor can guess which slots are free. */
		const size_t used = -(size_t)!!w->keys[i];

		keys[(w->numbers[i] & used) | (behind & ~used)] = w->keys[i];
	}
	return keys;
}

/* All slots are free. */
static void fill_slots(struct weigh *w, const uint64_t *keys)
{
	size_t i, slot;

	for (i = 0; i < w->nr_rows; i++) {
		slot = find_slot(w, keys[i]);
		w->keys[slot] = keys[i];
		w->numbers[slot] = i;
	}
}

/* Returns false, and leaves all as it was, if out of memory. */
static bool grow_rows(struct weigh *w)
{
	const struct weigh was = *w;
	uint64_t *keys = list_keys(w);
	size_t slots;

	w->bits = was.rows ? was.bits + 1 : START_BITS;
	slots = (size_t)1 << w->bits;
	w->keys = calloc(slots, sizeof(*w->keys));
	w->numbers = malloc(slots * sizeof(*w->numbers));
	/* So that none is in two cache lines. */
	w->rows = aligned_alloc(sizeof(*w->rows), most_rows(w) * sizeof(*w->rows));
	if (!keys || !w->keys || !w->numbers || !w->rows) {
		free(keys);
		free_rows(w);
		*w = was;
		return false;
	}
	if (was.rows)
		memcpy(w->rows, was.rows, w->nr_rows * sizeof(*w->rows));
	fill_slots(w, keys);
	free(keys);
	free(was.keys);
	free(was.numbers);
	free(was.rows);
	return true;
}

/*
 * Of nr uses, which are bits of floats, the one with so many smaller ones. What is not negative is
 * in the order of its bits, so that each round finds some bits of it, the highest ones first. Only
 * those that have them, too, go on to the next round.
 */
static float nth_use(uint32_t *uses, size_t nr, size_t smaller)
{
	static const unsigned int shifts[] = { 21, 10, 0 };
	enum { DIGITS = 1 << 11 };
	uint32_t found = 0, digit;
	size_t r, i, left;
	float use;

	for (r = 0; r < sizeof(shifts) / sizeof(*shifts); r++) {
		const unsigned int shift = shifts[r];
		uint32_t at[DIGITS] = { 0 };

		for (i = 0; i < nr; i++)
			at[(uses[i] >> shift) % DIGITS]++;
		for (digit = 0; smaller >= at[digit]; digit++)
			smaller -= at[digit];
		found |= digit << shift;
		for (i = left = 0; i < nr; i++) {
			uses[left] = uses[i];
			left += (uses[i] >> shift) % DIGITS == digit;
		}
		nr = left;
	}
	memcpy(&use, &found, sizeof(use));
	return use;
}

/*
 * A program that begins with much code that runs once must not keep what runs later from
 * being learnt. So the quarter that was used least goes, and what was seen before counts less
 * than what comes. Of logs of perl and Python with more contexts, this lost least.
 */
static void drop_rows(struct weigh *w)
{
	uint32_t *uses = malloc(w->nr_rows * sizeof(*uses)); /* their bits */
	uint64_t *keys = list_keys(w);
	size_t i, kept = 0;
	float use;

	for (i = 0; uses && i < w->nr_rows; i++) {
		use = use_of(&w->rows[i]);
		memcpy(&uses[i], &use, sizeof(use));
	}
	if (uses && keys) {
		use = nth_use(uses, w->nr_rows, w->nr_rows / 4);
		for (i = 0; i < w->nr_rows; i++) {
			const struct weigh_row row = w->rows[i];

			keys[kept] = keys[i];
			w->rows[kept] = (struct weigh_row){ row.num * AGED, row.den * AGED };
			kept += use_of(&row) > use;
		}
		w->nr_rows = kept;
		memset(w->keys, 0, sizeof(*w->keys) << w->bits);
		fill_slots(w, keys);
	}
	free(uses);
	free(keys);
}

/*
 * Have room for so many more rows, before any are found, as this moves them. There is less
 * room if out of memory, or for more than there can be.
 */
static void make_room(struct weigh *w, size_t nr)
{
	while (w->nr_rows + nr > most_rows(w)) {
		if (most_rows(w) < MOST_ROWS) {
			if (!grow_rows(w))
				return;
		} else {
			if (w->nr_rows)
				drop_rows(w);
			return;
		}
	}
}

/* The number of the row to add to; NO_ROW: there is no room. */
static uint32_t make_row(struct weigh *w, uint64_t key)
{
	const weigh_vec nothing = { NOTHING, NOTHING, NOTHING, NOTHING };
	const size_t slot = find_slot(w, key);

	if (w->keys[slot])
		return w->numbers[slot];
	if (w->nr_rows == most_rows(w))
		return NO_ROW;
	w->keys[slot] = key;
	w->numbers[slot] = w->nr_rows;
	w->rows[w->nr_rows] = (struct weigh_row){ .den = nothing };
	return w->nr_rows++;
}

/* --- learning --- */

/* Deeper stacks than before: what was learnt is of other numbers of lines. */
static bool deepen(struct weigh *w, uint32_t depth)
{
	const uint32_t knots[WEIGH_KNOTS] = { 1, depth / 3, 2 * depth / 3, depth - 1 };
	unsigned int i;

	free_rows(w);
	w->nr_rows = 0;
	w->stacks = 0;
	/* Without rows, the next stack is deeper, too. */
	w->depth = 0;
	if (!grow_rows(w))
		return false;
	w->depth = depth;
	for (i = 0; i < WEIGH_KNOTS; i++)
		w->knots[i] = knots[i] ?: 1;
	return true;
}

/*
 * What the lines from line i on took, the newer ones being before it. The first weight is a
 * mean of 1 / what lines take; so that is what is learnt. The second asks for the mean of
 * what one line takes, which is the first knot.
 */
static void learn_line(struct weigh *w, size_t i, float weight)
{
	const struct weigh_line *v = w->v;
	float takes[WEIGH_KNOTS] = { 1, 1, 1, 1 }, weights[WEIGH_KNOTS] = { 0 };
	weigh_vec num, den;
	unsigned int o, k;

	for (k = 0; k < WEIGH_KNOTS && w->knots[k] <= i + 1; k++) {
		uint32_t newer = i + 1 == w->knots[k] ? 0 : v[i - w->knots[k]].end;

		takes[k] = (float)(v[i].end - newer);
		weights[k] = weight;
	}
	memcpy(&num, weights, sizeof(num));
	memcpy(&den, takes, sizeof(den));
	den = num / den;
	num[0] *= takes[0];
	den[0] = weight;
	for (o = 0; o < v[i].nr_keys; o++) {
		if (v[i].rows[o] == NO_ROW)
			continue;
		w->rows[v[i].rows[o]].num += num;
		w->rows[v[i].rows[o]].den += den;
	}
}

/* Find the rows of a line, and have them come from memory. */
static void find_rows(struct weigh *w, struct weigh_line *line)
{
	unsigned int o;

	for (o = 0; o < line->nr_keys; o++) {
		line->rows[o] = make_row(w, line->keys[o]);
		__builtin_prefetch(&w->rows[line->rows[o] % MOST_ROWS]);
	}
}

void weigh_end(struct weigh *w)
{
	const float weight = 1 / ((float)w->seen + 1);
	struct weigh_line *v = w->v;
	size_t i;

	if (w->learns)
		make_room(w, WEIGH_ORDERS * w->nr);
	for (i = 0; w->learns && i < w->nr; i++)
		v[i].nr_keys = find_keys(w, v[i].to, &v[i].from, sizeof(*v) / sizeof(v->from),
					 w->nr - i, v[i].keys);
	for (i = 0; w->learns && i < w->nr; i++)
		find_rows(w, &v[i]);
	for (i = 0; w->learns && i < w->nr; i++)
		learn_line(w, i, weight);
	w->stacks++;
}

/* --- what follows --- */

/* What the lines of each knot take, as far as it is known where a stack was taken. */
static weigh_vec expect(const struct weigh *w, float mean)
{
	/* Rows have the weights of stacks; each was about this. */
	const float whole = (float)w->depth * mean;
	unsigned int i, k;
	weigh_vec at;

	for (i = 0; i < WEIGH_KNOTS; i++)
		at[i] = (float)w->knots[i] * mean;
	for (i = 0; i < w->context.nr; i++) {
		const size_t slot = find_slot(w, w->context.keys[i]);
		const struct weigh_row *row;
		weigh_vec seen;

		if (!w->keys[slot])
			break;
		row = &w->rows[w->numbers[slot]];
		seen = row->num;
		seen[0] = row->den[0];
		seen *= whole;
		for (k = 0; k < WEIGH_LANES; k++)
			seen[k] = seen[k] < most_seen[i] ? seen[k] : most_seen[i];
		at = (row->num / row->den * seen + at * PRIOR) / (seen + PRIOR);
	}
	return at;
}

/* One of so many stacks is learnt from. */
static uint64_t how_rarely(const struct weigh *w)
{
	const uint64_t times = w->stacks * w->depth / SLOWER;

	return times < RARELY ? 1 + times :
				(uint64_t)RARELY << (63 - __builtin_clzll(times / RARELY)) / 2;
}

bool weigh_seek(struct weigh *w, uint64_t to, const uint64_t *from, size_t distance,
		unsigned int nr, uint32_t nr_stack)
{
	if (nr_stack > w->depth && !deepen(w, nr_stack))
		return false;
	w->context.nr = find_keys(w, to, from, distance, nr, w->context.keys);
	w->learns = !(w->stacks % how_rarely(w));
	w->seen = 0;
	w->nr = 0;
	return array_cover(&w->v, nr_stack, &w->cap, sizeof(*w->v));
}

void weigh_begin(struct weigh *w, float mean, bool late)
{
	const weigh_vec at = expect(w, mean);
	uint32_t lines = 0;
	unsigned int k;

	w->takes = 0;
	for (k = 0; k < WEIGH_KNOTS; k++) {
		const uint32_t more = w->knots[k] - lines;
		const float step = more ? (at[k] - w->takes) / (float)more : 1;

		w->step[k] = step < 1 ? 1 : step;
		w->takes += (float)more * w->step[k];
		lines += more;
	}
	w->own = late ? 0 : 2 * WEIGH_ONE / (w->step[0] * (float)w->depth);
	w->one = late ? WEIGH_MOST : WEIGH_ONE;
	w->ahead = w->depth - 1;
	w->knot = WEIGH_KNOTS - 1;
}

/* What each of the next lines takes of the expected sum. */
static void find_steps(struct weigh *w, float *steps, unsigned int nr)
{
	unsigned int i = 0;

	while (i < nr) {
		const float step = w->step[w->knot];
		const weigh_vec all = { step, step, step, step };
		unsigned int end = nr, k;

		/* As many as there are of this knot. */
		if (w->knot && w->ahead - w->knots[w->knot - 1] <= nr - i)
			end = i + w->ahead - w->knots[--w->knot];
		w->ahead -= end - i;
		/* The next knot's begin behind the end. */
		for (k = i; k < end; k += WEIGH_LANES)
			memcpy(&steps[k], &all, sizeof(all));
		i = end;
	}
}

void weigh_lines(struct weigh *w, const uint32_t *lengths, unsigned int nr,
		 uint32_t *weights)
{
	typedef int32_t ints __attribute__((vector_size(4 * WEIGH_LANES)));
	const weigh_vec one = { 1, 1, 1, 1 };
	const float own = w->own, first = w->one;
	float steps[WEIGH_BATCH + WEIGH_LANES], ends[WEIGH_LANES + 1];
	weigh_vec takes, more;
	float at = w->takes;
	unsigned int i;
	ints v, most;

	find_steps(w, steps, nr);
	for (i = 0; i < nr; i += WEIGH_LANES) {
		memcpy(&v, &lengths[i], sizeof(v));
		memcpy(&more, &steps[i], sizeof(more));
		more = __builtin_convertvector(v, weigh_vec) - more;
		/* From what a line takes to what those after it do. */
		ends[0] = at;
		ends[1] = ends[0] + more[0];
		ends[2] = ends[1] + more[1];
		ends[3] = ends[2] + more[2];
		ends[4] = at = ends[3] + more[3];
		takes = (weigh_vec){ ends[0], ends[1], ends[2], ends[3] };
		/* Of large numbers less may be left than of lines. */
		most = takes > one;
		v = ((ints)takes & most) | ((ints)one & ~most);
		v = __builtin_convertvector(own + first / (weigh_vec)v, ints);
		memcpy(&weights[i], &v, sizeof(v));
	}
	/* The last ones of a group may be none. */
	w->takes = nr % WEIGH_LANES ? ends[nr % WEIGH_LANES] : at;
}

size_t weigh_bytes(const struct weigh *w)
{
	const size_t each = 2 * (sizeof(*w->keys) + sizeof(*w->numbers)) + sizeof(*w->rows);

	return w->rows ? most_rows(w) * each : 0;
}

void weigh_free(struct weigh *w)
{
	free_rows(w);
	free(w->v);
	*w = (struct weigh){ 0 };
}
