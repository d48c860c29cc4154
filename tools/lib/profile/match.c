// SPDX-License-Identifier: GPL-2.0-only
#include "profile/match.h"
#include "perfdata/module.h"

#include <stdlib.h>
#include <string.h>

static bool same_name(const struct prof_code *code, const struct prof_binary *b)
{
	if (code->module)
		return b->kernel && pd_names_module(b->name, code->path);
	return !strcmp(basename(b->name), basename(code->path));
}

enum prof_match prof_match(const struct prof_counts *counts,
			   const struct prof_code *code, bool *is_mine,
			   unsigned int *other)
{
	enum prof_match match = PROF_MATCH_NONE;
	unsigned int i, size = 0;
	const uint8_t *id = img_file_build_id(code->file, &size);

	for (i = 0; i < counts->nr_binaries; i++) {
		const struct prof_binary *b = &counts->binaries[i];
		enum prof_match how = PROF_MATCH_NONE;

		is_mine[i] = false;
		if (id && b->build_id_size &&
		    img_same_build_id(b->build_id, b->build_id_size, id, size))
			how = PROF_MATCH_ID;
		else if (same_name(code, b))
			how = id && b->build_id_size ? PROF_MATCH_BUILD :
						       PROF_MATCH_NAME;
		if (how == PROF_MATCH_BUILD && match < how)
			*other = i;
		/* A build id that is the same makes those without one strangers. */
		if (how == PROF_MATCH_ID && match == PROF_MATCH_NAME)
			memset(is_mine, 0, i * sizeof(*is_mine));
		is_mine[i] = how >= PROF_MATCH_NAME && how >= match;
		if (match < how)
			match = how;
	}
	return match;
}

unsigned int prof_most_counted(const struct prof_counts *counts,
			       unsigned int *numbers, uint64_t *transfers,
			       unsigned int max)
{
	uint64_t *sums = calloc(counts->nr_binaries, sizeof(*sums));
	unsigned int n, k;
	size_t i;

	if (!sums)
		return 0;
	for (i = 0; i < counts->nr_steps; i++) {
		const struct prof_step *s = &counts->steps[i];

		if (s->from != PROF_SAMPLED)
			sums[prof_binary_of(s->to)] += s->count;
	}
	for (n = 0; n < max; n++) {
		unsigned int best = 0;

		for (k = PROF_FIRST_BINARY; k < counts->nr_binaries; k++)
			if (sums[k] && (!best || sums[k] > sums[best]))
				best = k;
		if (!best)
			break;
		numbers[n] = best;
		transfers[n] = sums[best];
		sums[best] = 0;
	}
	free(sums);
	return n;
}
