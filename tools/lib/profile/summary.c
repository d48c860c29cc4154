// SPDX-License-Identifier: GPL-2.0-only
#include "profile/summary.h"
#include "base/saturate.h"

#include <stdlib.h>

enum { MILLION = 1000000 };

static const uint32_t shares[PROF_NR_CUTOFFS] = {
	10000,	100000, 200000, 300000, 400000, 500000, 600000, 700000,
	800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999,
};

static int by_falling(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a > *b ? -1 : *a < *b;
}

/* a * share / MILLION, without an overflow in between. */
static uint64_t part(uint64_t a, uint32_t share)
{
	return a / MILLION * share + a % MILLION * share / MILLION;
}

bool prof_summary_make(struct prof_summary *sum, const struct prof_samples *s)
{
	uint64_t *counts = malloc((s->nr_bodies + 1) * sizeof(*counts));
	uint64_t seen = 0;
	size_t i, k = 0, nr = s->nr_bodies;

	if (!counts)
		return false;
	*sum = (struct prof_summary){ .nr_counts = nr, .nr_funcs = s->nr_top };
	for (i = 0; i < nr; i++) {
		counts[i] = s->bodies[i].count;
		sum->total = saturate_plus(sum->total, counts[i]);
	}
	for (i = 0; i < s->nr_top; i++)
		if (s->funcs[i].head > sum->max_head)
			sum->max_head = s->funcs[i].head;
	qsort(counts, nr, sizeof(*counts), by_falling);
	sum->max = nr ? counts[0] : 0;
	for (i = 0; i < PROF_NR_CUTOFFS; i++) {
		uint64_t wanted = part(sum->total, shares[i]);

		/* Equal counts belong together. */
		while (k < nr &&
		       (seen < wanted || (k && counts[k] == counts[k - 1])))
			seen = saturate_plus(seen, counts[k++]);
		sum->cut[i] = (struct prof_cut){
			shares[i], k ? counts[k - 1] : 0, k
		};
	}
	free(counts);
	return true;
}
