// SPDX-License-Identifier: GPL-2.0-only
#include "profile/parts.h"

#include <stdlib.h>

/* The binaries of a step. Returns how many these are: 1 or 2. */
static unsigned int binaries_of(const struct count_step *step, unsigned int v[2])
{
	v[0] = count_number_of(step->from);
	v[1] = count_number_of(step->to);
	return v[0] == v[1] ? 1 : 2;
}

/* How many steps each binary and those before it have. Returns their sum. */
static size_t find_ends(struct prof_parts *parts, const struct counts *counts)
{
	unsigned int v[2], n;
	size_t i, sum = 0;

	for (i = 0; i < counts->nr_steps; i++)
		for (n = binaries_of(&counts->steps[i], v); n--;)
			parts->first[v[n]]++;
	for (i = 0; i <= parts->nr_binaries; i++)
		parts->first[i] = sum += parts->first[i];
	return sum;
}

bool prof_parts_make(struct prof_parts *parts, const struct counts *counts, size_t nr_binaries)
{
	unsigned int v[2], n;
	size_t i;

	*parts = (struct prof_parts){ .nr_binaries = nr_binaries };
	parts->first = calloc(nr_binaries + 1, sizeof(*parts->first));
	if (!parts->first)
		return false;
	parts->numbers = malloc((find_ends(parts, counts) + 1) * sizeof(*parts->numbers));
	if (!parts->numbers)
		return false;
	/* From their ends on, after which the ends are the starts. */
	for (i = counts->nr_steps; i--;)
		for (n = binaries_of(&counts->steps[i], v); n--;)
			parts->numbers[--parts->first[v[n]]] = i;
	return true;
}

bool prof_parts_take(const struct prof_parts *parts, const struct counts *counts,
		     const bool *is_mine, struct counts *part)
{
	size_t i, k, nr = 0;

	*part = (struct counts){ .weighed = counts->weighed };
	for (i = 0; i < parts->nr_binaries; i++)
		nr += is_mine[i] ? parts->first[i + 1] - parts->first[i] : 0;
	part->steps = malloc((nr + 1) * sizeof(*part->steps));
	if (!part->steps)
		return false;
	for (i = 0; i < parts->nr_binaries; i++)
		for (k = parts->first[i]; is_mine[i] && k < parts->first[i + 1]; k++) {
			const struct count_step *s = &counts->steps[parts->numbers[k]];
			const unsigned int from = count_number_of(s->from);

			/* One from another one of them was taken there. */
			if (from == i || !is_mine[from])
				part->steps[part->nr_steps++] = *s;
		}
	return true;
}

void prof_parts_free(struct prof_parts *parts)
{
	free(parts->first);
	free(parts->numbers);
	*parts = (struct prof_parts){ 0 };
}
