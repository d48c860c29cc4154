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

static bool same_path(const struct prof_code *code, const struct prof_binary *b)
{
	return !code->module && (!strcmp(b->name, code->asked) ||
				 (code->real && !strcmp(b->name, code->real)));
}

enum prof_match prof_match_one(const struct prof_code *code,
			       const struct prof_binary *b)
{
	unsigned int size = 0;
	const uint8_t *id = img_file_build_id(code->file, &size);
	const bool path = same_path(code, b);

	if (id && b->build_id_size &&
	    img_same_build_id(b->build_id, b->build_id_size, id, size))
		return PROF_MATCH_ID;
	if (!path && !same_name(code, b))
		return PROF_MATCH_NONE;
	if (id && b->build_id_size)
		return PROF_MATCH_BUILD;
	return path ? PROF_MATCH_PATH : PROF_MATCH_NAME;
}

/* One of mine with another name than the first of them; 0: all have one name. */
static unsigned int other_name(const struct prof_places *places, const bool *is_mine)
{
	unsigned int i, first = 0;

	for (i = PROF_FIRST_BINARY; i < places->nr_binaries; i++) {
		if (!is_mine[i])
			continue;
		if (first && strcmp(places->binaries[i].name, places->binaries[first].name))
			return i;
		first = first ?: i;
	}
	return 0;
}

enum prof_match prof_match(const struct prof_places *places,
			   const struct prof_code *code, bool *is_mine,
			   unsigned int *other)
{
	enum prof_match match = PROF_MATCH_NONE;
	unsigned int i;

	*other = 0;
	for (i = 0; i < places->nr_binaries; i++) {
		enum prof_match how =
			prof_match_one(code, &places->binaries[i]);

		if (how == PROF_MATCH_BUILD && match < how)
			*other = i;
		/* A better match makes the others strangers. */
		if (how > match)
			memset(is_mine, 0, i * sizeof(*is_mine));
		is_mine[i] = how >= PROF_MATCH_NAME && how >= match;
		if (match < how)
			match = how;
	}
	/* A module has several names, for instance with its folder and without. */
	if (match == PROF_MATCH_NAME)
		*other = code->module ? 0 : other_name(places, is_mine);
	return match;
}

bool prof_match_is_named(const struct prof_places *places, const bool *is_mine,
			 unsigned int number)
{
	unsigned int i;

	for (i = PROF_FIRST_BINARY; i < places->nr_binaries; i++)
		if (is_mine[i] && !strcmp(places->binaries[i].name, places->binaries[number].name))
			return true;
	return false;
}

bool prof_match_is_other(const struct prof_places *places, const struct prof_code *code,
			 const bool *is_mine, unsigned int number)
{
	const struct prof_binary *b = &places->binaries[number];
	const enum prof_match match = prof_match_one(code, b);

	/* What has no build id may be the same one. */
	return match == PROF_MATCH_BUILD ||
	       (match == PROF_MATCH_NONE && b->build_id_size &&
		prof_match_is_named(places, is_mine, number));
}

void prof_match_recorded(const struct prof_places *places, unsigned int number,
			 bool *is_mine)
{
	const struct prof_binary *b = &places->binaries[number], *x;
	unsigned int i;

	for (i = 0; i < places->nr_binaries; i++) {
		x = &places->binaries[i];
		is_mine[i] = b->build_id_size ?
				     img_same_build_id(x->build_id, x->build_id_size,
						       b->build_id, b->build_id_size) :
				     !x->build_id_size && !strcmp(x->name, b->name);
	}
}
