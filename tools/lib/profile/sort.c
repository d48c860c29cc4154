// SPDX-License-Identifier: GPL-2.0-only
/* A radix sort from the lowest digit up. */
#include "profile/sort.h"

#include <string.h>

enum { BITS = 8, NR_DIGITS = 64 / BITS, NR_VALUES = 1 << BITS };

static unsigned int digit(uint64_t key, unsigned int n)
{
	return key >> n * BITS & (NR_VALUES - 1);
}

void prof_sort(struct prof_key *v, struct prof_key *spare, size_t nr)
{
	size_t counts[NR_DIGITS][NR_VALUES] = { 0 }, at, i;
	struct prof_key *from = v, *to = spare, *swap;
	unsigned int n, k;

	for (i = 0; i < nr; i++)
		for (n = 0; n < NR_DIGITS; n++)
			counts[n][digit(v[i].key, n)]++;
	for (n = 0; n < NR_DIGITS; n++) {
		/* A digit that all share, as the upper ones of addresses. */
		if (!nr || counts[n][digit(v[0].key, n)] == nr)
			continue;
		for (at = 0, k = 0; k < NR_VALUES; k++) {
			size_t count = counts[n][k];

			counts[n][k] = at;
			at += count;
		}
		for (i = 0; i < nr; i++)
			to[counts[n][digit(from[i].key, n)]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, nr * sizeof(*v));
}
