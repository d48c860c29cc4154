// SPDX-License-Identifier: GPL-2.0-only
/* A radix sort from the highest digit down, in place. */
#include "profile/sort.h"

#include <string.h>

/* The most bits of a digit. It has fewer, if there are not 1 << EACH_BITS steps for each value. */
enum { BITS = 11, EACH_BITS = 2, FEW = 16 };

/* COUNT_NO_LINE comes first. */
static uint32_t line_key(const struct count_step *step)
{
	return (uint32_t)step->line ^ UINT32_C(1) << 31;
}

static uint64_t key_of(const struct count_step *step, enum prof_order order)
{
	return order == PROF_BY_LINE ? step->to << 32 | line_key(step) :
				       step->from << 32 | step->to;
}

static void insertion_sort(struct count_step *v, size_t nr,
			   enum prof_order order)
{
	size_t i, k;

	for (i = 1; i < nr; i++) {
		const struct count_step step = v[i];
		uint64_t key = key_of(&step, order);
		uint32_t line = line_key(&step);

		for (k = i; k; k--) {
			uint64_t before = key_of(&v[k - 1], order);

			if (before < key ||
			    (before == key && line_key(&v[k - 1]) <= line))
				break;
			v[k] = v[k - 1];
		}
		v[k] = step;
	}
}

/*
 * Swap each step to where the ones of its digit are, starts[digit] and on, until
 * one comes that belongs to where it began.
 */
static void distribute(struct count_step *v, enum prof_order order,
		       unsigned int shift, unsigned int mask, size_t *starts,
		       const size_t *ends)
{
	enum { AHEAD = 2 };
	unsigned int d;

	for (d = 0; d <= mask; d++) {
		while (starts[d] < ends[d]) {
			struct count_step step = v[starts[d]];

			for (;;) {
				unsigned int its =
					key_of(&step, order) >> shift & mask;
				struct count_step *to = &v[starts[its]++];
				struct count_step next = *to;

				*to = step;
				/* So that a later one of this digit need not wait for its place. */
				__builtin_prefetch(to + AHEAD);
				if (its == d)
					break;
				step = next;
			}
		}
	}
}

/* For more than FEW steps. */
static unsigned int bits_for(size_t nr)
{
	const unsigned int bits = 63 - __builtin_clzll(nr) - EACH_BITS;

	return bits < BITS ? bits : BITS;
}

void prof_sort(struct count_step *v, size_t nr, enum prof_order order)
{
	const unsigned int bits = nr > FEW ? bits_for(nr) : 0, mask = (1u << bits) - 1;
	size_t starts[1 << BITS], ends[1 << BITS], at = 0, i;
	uint64_t differ = 0, first;
	unsigned int shift, d;

	if (nr <= FEW) {
		insertion_sort(v, nr, order);
		return;
	}
	first = key_of(v, order);
	for (i = 1; i < nr; i++)
		differ |= key_of(&v[i], order) ^ first;
	if (!differ) {
		if (order == PROF_BY_BRANCH)
			prof_sort(v, nr, PROF_BY_LINE);
		return;
	}
	/* The highest bit in which keys differ is the digit's highest. */
	shift = 64 - __builtin_clzll(differ);
	shift -= shift < bits ? shift : bits;
	memset(ends, 0, (mask + 1) * sizeof(*ends));
	for (i = 0; i < nr; i++)
		ends[key_of(&v[i], order) >> shift & mask]++;
	for (d = 0; d <= mask; d++) {
		starts[d] = at;
		at = ends[d] += at;
	}
	distribute(v, order, shift, mask, starts, ends);
	for (at = 0, d = 0; d <= mask; at = ends[d++])
		if (ends[d] - at > 1)
			prof_sort(v + at, ends[d] - at, order);
}
