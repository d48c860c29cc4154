// SPDX-License-Identifier: GPL-2.0-only
#include "profile/match.h"
#include "perfdata/module.h"

#include <string.h>

static bool same_name(const struct prof_code *code, const struct prof_binary *b)
{
	if (code->module)
		return b->kernel && pd_names_module(b->name, code->path);
	return !strcmp(basename(b->name), basename(code->path));
}

enum prof_match prof_match_one(const struct prof_code *code,
			       const struct prof_binary *b)
{
	unsigned int size = 0;
	const uint8_t *id = img_file_build_id(code->file, &size);

	if (id && b->build_id_size &&
	    img_same_build_id(b->build_id, b->build_id_size, id, size))
		return PROF_MATCH_ID;
	if (!same_name(code, b))
		return PROF_MATCH_NONE;
	return id && b->build_id_size ? PROF_MATCH_BUILD : PROF_MATCH_NAME;
}

enum prof_match prof_match(const struct prof_places *places,
			   const struct prof_code *code, bool *is_mine,
			   unsigned int *other)
{
	enum prof_match match = PROF_MATCH_NONE;
	unsigned int i;

	for (i = 0; i < places->nr_binaries; i++) {
		enum prof_match how =
			prof_match_one(code, &places->binaries[i]);

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
